package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sluice.GroupSummary;
import dev.sluice.LimitLevel;
import java.util.OptionalInt;

/** A group in a line. */
public record GroupView(
    String group,
    boolean family,
    @Maybe Integer limit,
    @Maybe LimitLevel level,
    @JsonUnwrapped Use use,
    @Maybe @JsonUnwrapped Traffic traffic) {

  /**
   * How much of a group is in use.
   *
   * @param pressure held slots per slot; of a held group 1 if anything is in it, else 0
   */
  public record Use(int active, int waiting, double pressure, boolean held) {
    static Use of(OptionalInt limit, int active, int waiting) {
      if (limit.isEmpty()) {
        return new Use(active, waiting, 0, false);
      }
      boolean held = limit.getAsInt() == 0;
      double pressure = held ? (active + waiting > 0 ? 1 : 0) : (double) active / limit.getAsInt();
      return new Use(active, waiting, pressure, held);
    }
  }

  /** What happened at a group lately, as its workers tell. */
  public record Traffic(
      long acquired, long rejected, @Maybe Double waitP50Seconds, @Maybe Double waitP95Seconds) {}

  /** A summary; traffic may be null. */
  public static GroupView of(GroupSummary summary, Traffic traffic) {
    return new GroupView(
        summary.group().toString(),
        summary.group().isFamily(),
        LimitChangeView.number(summary.limit()),
        summary.level().orElse(null),
        Use.of(summary.limit(), summary.active(), summary.waiting()),
        traffic);
  }
}
