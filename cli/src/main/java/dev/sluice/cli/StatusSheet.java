package dev.sluice.cli;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.SlotInfo;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import dev.sluice.cli.text.Times;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A group, its limit and who holds its slots. */
final class StatusSheet {
  private static final int BAR = 20;
  private static final int MOST_WAITING_COUNTED = 10_000;

  private final SluiceCommand root;
  private final Style style;

  StatusSheet(SluiceCommand root) {
    this.root = root;
    this.style = root.console().style();
  }

  /** One group with its slots. */
  void one(ConcurrencyStatus status, Optional<String> pointer) {
    if (root.json()) {
      root.sayJson(asMap(status, pointer));
      return;
    }
    root.say(style.bold(Printable.of(status.group().toString())));
    root.say("limit    " + Printable.of(limitInWords(status)));
    pointer.ifPresent(text -> root.say("pointer  " + Printable.of(text)));
    status
        .origin()
        .change()
        .ifPresent(
            change ->
                root.say(
                    "since    "
                        + Printable.of(
                            root.times().full(change.at()) + ", set by " + change.by())));
    if (!status.group().isFamily()) {
      String bar =
          status.limit().isPresent()
              ? "  " + style.bar(status.active(), status.limit().getAsInt(), BAR)
              : "";
      root.say("active   " + status.active() + bar);
      root.say("waiting  " + waiting(status));
    }
    warnOfDeploy(status);
    if (!status.slots().isEmpty()) {
      root.say("");
      slots(status.slots()).lines(root.console().tableWidth()).forEach(root::say);
    }
  }

  /** Who holds which slot since when. */
  Table slots(List<SlotInfo> slots) {
    Times times = root.times();
    Table table =
        new Table(style)
            .right("SLOT")
            .left("HELD BY")
            .flexible("WORKER")
            .left("SINCE")
            .right("LEASE LEFT");
    for (SlotInfo slot : slots) {
      table.row(
          String.valueOf(slot.slotId()),
          Printable.of(slot.taskId().orElse("(kept for the next job)")),
          Printable.of(slot.workerId().orElse("-")),
          times.age(slot.since()),
          Durations.format(times.until(slot.expiresAt())));
    }
    return table;
  }

  private void warnOfDeploy(ConcurrencyStatus status) {
    Map<Integer, Integer> declared = new TreeMap<>(status.origin().declared());
    if (declared.size() > 1) {
      String numbers =
          declared.entrySet().stream()
              .map(
                  e ->
                      e.getKey()
                          + " ("
                          + e.getValue()
                          + (e.getValue() == 1 ? " worker)" : " workers)"))
              .collect(Collectors.joining(", "));
      root.remark(
          style.yellow(
              Printable.of(
                  "Workers declare different limits for '%s': %s. The lowest holds until the last of them is gone."
                      .formatted(status.group(), numbers))));
    }
  }

  private static String waiting(ConcurrencyStatus status) {
    return "%,d%s".formatted(status.waiting(), status.waiting() >= MOST_WAITING_COUNTED ? "+" : "");
  }

  /** The limit as a sentence part: "5, set by an operator". */
  static String limitInWords(ConcurrencyStatus status) {
    if (status.limit().isEmpty() || status.origin().level().isEmpty()) {
      return "no limit";
    }
    String who =
        switch (status.origin().level().get()) {
          case OPERATOR -> "set by an operator";
          case CONFIG -> "from the configuration";
          case CODE -> "declared in code";
          case SUBMIT -> "given at submit";
        };
    int number = status.limit().getAsInt();
    return number
        + (status.group().isFamily() ? " for each" : "")
        + (number == 0 ? " (on hold)" : "")
        + ", "
        + who
        + status.origin().inheritedFrom().map(family -> " for " + family).orElse("");
  }

  /** The group for machines. */
  static Map<String, Object> asMap(ConcurrencyStatus status, Optional<String> pointer) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("group", status.group().toString());
    map.put("limit", status.limit().isPresent() ? status.limit().getAsInt() : null);
    map.put("active", status.active());
    map.put("waiting", status.waiting());
    map.put("level", status.origin().level().map(LimitLevel::toString).orElse(null));
    map.put("inherited_from", status.origin().inheritedFrom().map(Group::toString).orElse(null));
    map.put("declared", status.origin().declared());
    pointer.ifPresent(text -> map.put("pointer", text));
    status.origin().change().ifPresent(change -> map.put("change", asMap(change)));
    map.put("slots", status.slots().stream().map(StatusSheet::asMap).toList());
    return map;
  }

  /** A change of a limit for machines. */
  static Map<String, Object> asMap(LimitChange change) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("at", change.at().toString());
    map.put("by", change.by());
    map.put("group", change.group().toString());
    map.put("level", change.level().toString());
    map.put("before", change.before().isPresent() ? change.before().getAsInt() : null);
    map.put("after", change.after().isPresent() ? change.after().getAsInt() : null);
    return map;
  }

  private static Map<String, Object> asMap(SlotInfo slot) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("slot", slot.slotId());
    map.put("job", slot.taskId().orElse(null));
    map.put("worker", slot.workerId().orElse(null));
    map.put("since", slot.since().toString());
    map.put("expires_at", slot.expiresAt().toString());
    map.put("token", slot.token());
    return map;
  }
}
