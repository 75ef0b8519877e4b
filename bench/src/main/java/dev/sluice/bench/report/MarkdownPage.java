package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A report as a page of the documentation. */
final class MarkdownPage {
  private final String family;
  private final Report report;
  private final List<String> charts;
  private final StringBuilder page = new StringBuilder();

  /** A page that shows these files of charts, which stand beside it. */
  MarkdownPage(String family, Report report, List<String> charts) {
    this.family = family;
    this.report = report;
    this.charts = charts;
  }

  /** What the family is about: its scenario in a sentence, or the names of several. */
  String summary() {
    List<Section> sections = report.sections();
    return sections.size() == 1
        ? sections.get(0).summary()
        : sections.stream().map(Section::name).collect(Collectors.joining(", "));
  }

  /** The page. */
  String text() {
    page.setLength(0);
    line("<!-- Written by ./sluice bench with --docs; a change by hand is lost. -->");
    line("# Benchmark: " + family).line("");
    line("```sh").line(report.command()).line("```").line("");
    line("Run at %s. All figures: [%s.json](%s.json).".formatted(started(), family, family));
    line("");
    charts.forEach(chart -> line("![%s](%s)".formatted(alternative(chart), chart)).line(""));
    report.sections().forEach(this::section);
    line("## Machine, versions, settings").line("");
    row("", "").row("---", "---");
    report.machine().forEach((name, value) -> row(name, value));
    return page.toString();
  }

  private String started() {
    return report.startedAt().toString().replaceFirst("T(\\d\\d:\\d\\d).*", " $1 UTC");
  }

  private static String alternative(String chart) {
    return chart.replace(".svg", "").replace('-', ' ');
  }

  private void section(Section section) {
    line("## " + section.name()).line("").line(section.summary()).line("");
    if (!section.subjects().isEmpty()) {
      figures(section);
      settings(section);
    }
    if (!section.ratios().isEmpty()) {
      ratios(section);
    }
    section.remarks().forEach(remark -> line("- " + remark.strip().replace("\n", "\n  ")));
    if (!section.remarks().isEmpty()) {
      line("");
    }
  }

  private void figures(Section section) {
    List<String> names = section.figureNames();
    List<String> head = new ArrayList<>(names);
    head.add(0, "median (least…most)");
    row(head);
    List<String> rule = new ArrayList<>(names.stream().map(name -> "--:").toList());
    rule.add(0, "---");
    row(rule);
    for (Subject subject : section.subjects()) {
      List<String> cells = new ArrayList<>();
      cells.add(subject.name());
      names.forEach(name -> cells.add(figure(name, subject.figures().get(name))));
      row(cells);
    }
    line("");
  }

  private static String figure(String name, Figure figure) {
    if (figure == null) {
      return "";
    }
    String spread = Digits.spread(figure);
    return "**"
        + Digits.median(name, figure)
        + "**"
        + (spread.isEmpty() ? "" : " (%s)".formatted(spread));
  }

  private void settings(Section section) {
    List<Subject> set = section.subjects().stream().filter(s -> !s.settings().isEmpty()).toList();
    for (Subject subject : set) {
      List<String> settings = new ArrayList<>();
      for (Map.Entry<String, String> setting : subject.settings().entrySet()) {
        settings.add(setting.getKey() + " " + setting.getValue());
      }
      line(escaped("- %s: %s".formatted(subject.name(), String.join(", ", settings))));
    }
    if (!set.isEmpty()) {
      line("");
    }
  }

  private void ratios(Section section) {
    row("ratio, round by round", "median", "least…most", "must", "aim", "");
    row("---", "--:", "---", "---", "---", "---");
    for (Ratio ratio : section.ratios()) {
      row(
          ratio.name(),
          "**" + Digits.ratio(ratio.value().median()) + "**",
          Digits.ratioSpread(ratio.value()),
          ratio.goal().map(goal -> goal.bound(goal.must())).orElse(""),
          ratio.goal().map(goal -> goal.bound(goal.aim())).orElse(""),
          Verdict.of(ratio).word());
    }
    line("");
  }

  private MarkdownPage row(String... cells) {
    return row(List.of(cells));
  }

  private MarkdownPage row(List<String> cells) {
    List<String> escaped = cells.stream().map(MarkdownPage::escaped).toList();
    return line("| " + String.join(" | ", escaped) + " |");
  }

  /** Text of a cell: names come from anyone. */
  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|");
  }

  private MarkdownPage line(String line) {
    page.append(line).append('\n');
    return this;
  }
}
