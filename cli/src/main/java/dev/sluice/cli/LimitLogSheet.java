package dev.sluice.cli;

import dev.sluice.LimitChange;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import java.util.List;
import java.util.OptionalInt;

/** Changes of limits, a line each. */
final class LimitLogSheet {
  private final SluiceCommand root;

  LimitLogSheet(SluiceCommand root) {
    this.root = root;
  }

  void print(List<LimitChange> changes) {
    if (root.json()) {
      changes.forEach(change -> root.sayJson(StatusSheet.asMap(change)));
      return;
    }
    Table table =
        new Table(root.console().style())
            .left("WHEN")
            .flexible("GROUP")
            .right("FROM")
            .right("TO")
            .left("LEVEL")
            .left("BY");
    for (LimitChange change : changes) {
      table.row(
          root.times().full(change.at()),
          Printable.of(change.group().toString()),
          number(change.before()),
          number(change.after()),
          change.level().toString(),
          Printable.of(change.by()));
    }
    if (table.isEmpty()) {
      root.remark("No operator and no configuration file has changed a limit.");
    } else {
      table.lines(root.console().tableWidth()).forEach(root::say);
    }
  }

  private static String number(OptionalInt limit) {
    return limit.isPresent() ? String.valueOf(limit.getAsInt()) : "none";
  }
}
