package dev.sluice.server.view;

import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import java.time.Instant;
import java.util.OptionalInt;

/** Who changed which limit when. */
public record LimitChangeView(
    Instant at,
    String by,
    String group,
    LimitLevel level,
    @Maybe Integer before,
    @Maybe Integer after) {
  /** A change on the log. */
  public static LimitChangeView of(LimitChange change) {
    return new LimitChangeView(
        change.at(),
        change.by(),
        change.group().toString(),
        change.level(),
        number(change.before()),
        number(change.after()));
  }

  static Integer number(OptionalInt number) {
    return number.isPresent() ? number.getAsInt() : null;
  }
}
