package dev.sluice.bench.report;

import dev.sluice.cli.text.Console;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints reports for people: what was measured as a table of medians, each with the smallest and
 * the largest of its rounds, then what was compared, with a verdict, then what to keep in mind.
 */
public final class ReportTable {
  private final Console console;

  public ReportTable(Console console) {
    this.console = console;
  }

  /** Prints every section, and below them the machine. */
  public void print(Report report) {
    report.sections().forEach(this::print);
    console.out().println(console.style().dim(Machine.caption(report.machine())));
  }

  /** Prints one section. */
  public void print(Section section) {
    Style style = console.style();
    console.out().println(style.bold(Printable.of(section.name())));
    console.out().println(Printable.of(section.summary()));
    if (!section.subjects().isEmpty()) {
      console.out().println();
      print(subjects(section));
    }
    if (!section.ratios().isEmpty()) {
      console.out().println();
      print(ratios(section));
    }
    if (!section.remarks().isEmpty()) {
      console.out().println();
      section.remarks().forEach(remark -> console.out().println("* " + Printable.lines(remark)));
    }
    console.out().println();
  }

  private void print(Table table) {
    table.lines(console.tableWidth()).forEach(console.out()::println);
  }

  /** With the spreads where there is room for them. */
  private Table subjects(Section section) {
    Table plain = subjects(section, new Style(false, console.style().unicode()), true);
    int width = plain.lines(Integer.MAX_VALUE).stream().mapToInt(String::length).max().orElse(0);
    return subjects(section, console.style(), width <= console.tableWidth());
  }

  private static Table subjects(Section section, Style style, boolean spreads) {
    Table table = new Table(style).flexible("");
    List<String> spread = new ArrayList<>();
    for (String name : section.figureNames()) {
      table.right(name);
      if (spreads && isSpread(section, name)) {
        table.left("least…most");
        spread.add(name);
      }
    }
    for (Subject subject : section.subjects()) {
      List<String> cells = new ArrayList<>();
      cells.add(Printable.of(subject.name()));
      for (String name : section.figureNames()) {
        Figure figure = subject.figures().get(name);
        cells.add(figure == null ? "" : Digits.median(name, figure));
        if (spread.contains(name)) {
          cells.add(figure == null ? "" : style.dim(Digits.spread(figure)));
        }
      }
      table.row(cells.toArray(String[]::new));
    }
    return table;
  }

  private static boolean isSpread(Section section, String name) {
    return section.subjects().stream()
        .map(subject -> subject.figures().get(name))
        .anyMatch(figure -> figure != null && figure.values().size() > 1);
  }

  private Table ratios(Section section) {
    Style style = console.style();
    Table table =
        new Table(style)
            .flexible("")
            .right("ratio")
            .left("least…most")
            .left("must")
            .left("aim")
            .left("");
    for (Ratio ratio : section.ratios()) {
      table.row(
          Printable.of(ratio.name()),
          Digits.ratio(ratio.value().median()),
          style.dim(Digits.ratioSpread(ratio.value())),
          ratio.goal().map(goal -> goal.bound(goal.must())).orElse(""),
          ratio.goal().map(goal -> goal.bound(goal.aim())).orElse(""),
          painted(Verdict.of(ratio)));
    }
    return table;
  }

  private String painted(Verdict verdict) {
    return verdict == Verdict.MISSED
        ? console.style().red(verdict.word())
        : console.style().green(verdict.word());
  }
}
