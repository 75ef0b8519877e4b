package dev.sluice.bench;

import dev.sluice.bench.report.Comparison;
import dev.sluice.bench.report.Digits;
import dev.sluice.bench.report.ReportFile;
import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Shows what changed between two reports. */
@Command(
    name = "compare",
    description = {
      "Shows what changed between two reports that benchmarks wrote with --json.",
      "A change is named where the medians are further apart than the rounds of either report."
    },
    mixinStandardHelpOptions = true)
final class CompareCommand implements Runnable {
  @ParentCommand private BenchCommand parent;

  @Parameters(index = "0", paramLabel = "BEFORE", description = "The report to compare with.")
  private Path before;

  @Parameters(index = "1", paramLabel = "AFTER", description = "The report to look at.")
  private Path after;

  @Override
  public void run() {
    Comparison comparison = Comparison.of(ReportFile.read(before), ReportFile.read(after));
    Console console = parent.console();
    Table table = table(comparison, console.style());
    if (table.isEmpty()) {
      console.out().println("The reports have nothing in common.");
    } else {
      table.lines(console.tableWidth()).forEach(console.out()::println);
    }
    only(before, comparison.onlyBefore());
    only(after, comparison.onlyAfter());
  }

  private static Table table(Comparison comparison, Style style) {
    Table table =
        new Table(style)
            .flexible("")
            .left("figure")
            .right("before")
            .right("after")
            .right("after/before")
            .left("");
    String last = "";
    for (Comparison.Row row : comparison.rows()) {
      table.row(
          row.subject().equals(last) ? "" : Printable.of(row.subject()),
          Printable.of(row.figure()),
          Digits.of(row.before().median()),
          Digits.of(row.after().median()),
          Digits.ratio(row.quotient()),
          word(row.change(), style));
      last = row.subject();
    }
    return table;
  }

  private static String word(Comparison.Change change, Style style) {
    return switch (change) {
      case MORE -> style.yellow("more");
      case LESS -> style.yellow("less");
      case WITHIN_SPREAD -> "";
      case UNKNOWN -> style.dim("measured once");
    };
  }

  private void only(Path file, List<String> subjects) {
    if (!subjects.isEmpty()) {
      parent.console().out().printf("%nOnly in %s:%n", file);
      subjects.forEach(name -> parent.console().out().println("  " + Printable.of(name)));
    }
  }
}
