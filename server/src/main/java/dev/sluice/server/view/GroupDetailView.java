package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.LimitLevel;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A group with its slots. */
public record GroupDetailView(
    String group,
    @Maybe Integer limit,
    @JsonUnwrapped GroupView.Use use,
    @JsonUnwrapped Origin origin,
    List<SlotView> slots,
    @Maybe @JsonUnwrapped GroupView.Traffic traffic,
    @Maybe List<LimitChangeView> changes,
    @Maybe String pointer,
    @Maybe String warning) {

  /** Where the limit comes from; declared: number as text, how many workers declare it. */
  public record Origin(
      @Maybe LimitLevel level,
      @Maybe String inheritedFrom,
      Map<String, Integer> declared,
      @Maybe LimitChangeView change) {
    static Origin of(ConcurrencyStatus.Origin origin) {
      Map<String, Integer> declared = new TreeMap<>();
      origin.declared().forEach((limit, workers) -> declared.put(limit.toString(), workers));
      return new Origin(
          origin.level().orElse(null),
          origin.inheritedFrom().map(Object::toString).orElse(null),
          declared,
          origin.change().map(LimitChangeView::of).orElse(null));
    }
  }

  /** A group at a moment; traffic and changes may be null. */
  public static GroupDetailView of(
      ConcurrencyStatus status,
      List<SlotView> slots,
      GroupView.Traffic traffic,
      List<LimitChangeView> changes) {
    return new GroupDetailView(
        status.group().toString(),
        LimitChangeView.number(status.limit()),
        GroupView.Use.of(status.limit(), status.active(), status.waiting()),
        Origin.of(status.origin()),
        slots,
        traffic,
        changes,
        null,
        null);
  }

  /** The same, with where payloads have the value of the dimension; null = not on record. */
  public GroupDetailView withPointer(String text) {
    return new GroupDetailView(group, limit, use, origin, slots, traffic, changes, text, warning);
  }

  /** The same, with something the caller should look at; null = nothing. */
  public GroupDetailView withWarning(String text) {
    return new GroupDetailView(group, limit, use, origin, slots, traffic, changes, pointer, text);
  }
}
