package dev.sluice.bench.report;

import dev.sluice.InvalidRequestException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Puts reports into the documentation, a family of scenarios each: {@code FAMILY.json} with
 * everything measured, {@code FAMILY.md} to read it, and the charts as {@code FAMILY….svg}. The
 * index, {@code README.md}, is written by hand; only its list of families is kept up to date.
 */
public final class BenchDocs {
  private final Path directory;

  /** Documentation in this directory, which {@code --docs} names. */
  public BenchDocs(Path directory) {
    this.directory = directory;
  }

  /**
   * Sees to it that no page is overwritten that has more than will be measured.
   *
   * @param measured the scenarios, by family
   * @throws InvalidRequestException if one would be
   */
  public void requireNothingLost(Map<String, List<String>> measured) {
    measured.forEach(
        (family, names) -> {
          Path file = directory.resolve(family + ".json");
          if (!Files.exists(file)) {
            return;
          }
          List<String> lost =
              ReportFile.read(file).sections().stream()
                  .map(Section::name)
                  .filter(name -> !names.contains(name))
                  .toList();
          if (!lost.isEmpty()) {
            throw new InvalidRequestException(
                "The page '%s' in %s also has %s, which this run would lose. Measure them too, or name another directory."
                    .formatted(family, directory, String.join(", ", lost)));
          }
        });
  }

  /**
   * Writes the files of a family, over those of an earlier run.
   *
   * @param family a name fit for files: {@code concurrency}
   * @throws dev.sluice.InvalidRequestException if a file cannot be written
   */
  public void write(String family, Report report) {
    ReportFile.write(directory.resolve(family + ".json"), report);
    Map<String, String> charts = charts(family, report);
    charts.forEach((name, chart) -> TextFile.write(directory.resolve(name), chart));
    MarkdownPage page = new MarkdownPage(family, report, List.copyOf(charts.keySet()));
    TextFile.write(directory.resolve(family + ".md"), page.text());
    new DocsIndex(directory.resolve("README.md")).add(family, page.summary());
  }

  /** The charts by their file's name: one for each section, one for each name of curves. */
  private static Map<String, String> charts(String family, Report report) {
    Map<String, String> charts = new LinkedHashMap<>();
    for (Section section : report.sections()) {
      String bars = report.sections().size() == 1 ? family : fileName(family, section.name());
      BarChart.draw(section, report).ifPresent(chart -> charts.put(bars + ".svg", chart));
      section
          .charts()
          .forEach(
              (name, curves) ->
                  charts.put(
                      fileName(family, name) + ".svg",
                      LineChart.draw(curves, section.summary(), report)));
    }
    return charts;
  }

  private static String fileName(String family, String name) {
    String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String suffix = plain.replaceAll("^-|-$", "");
    return suffix.startsWith(family) ? suffix : family + "-" + suffix;
  }
}
