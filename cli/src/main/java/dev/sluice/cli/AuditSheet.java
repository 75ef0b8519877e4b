package dev.sluice.cli;

import dev.sluice.AuditReport;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What an audit of the slots found. */
final class AuditSheet {
  private final SluiceCommand root;

  AuditSheet(SluiceCommand root) {
    this.root = root;
  }

  void print(AuditReport report) {
    if (root.json()) {
      root.sayJson(asMap(report));
      return;
    }
    Style style = root.console().style();
    for (AuditReport.Finding finding : report.findings()) {
      root.say(
          style.red("%-10s".formatted(word(finding)))
              + " "
              + style.bold(Printable.of(finding.group().toString()))
              + "  "
              + Printable.of(finding.seen()));
    }
    root.say(
        report.isClean()
            ? style.green("Every slot has its holder, and no limit is exceeded.")
            : report.repaired()
                ? "What can be repaired was; limits that are exceeded drain by themselves."
                : "Nothing was changed. 'sluice concurrency audit --fix' repairs what can be.");
  }

  static String word(AuditReport.Finding finding) {
    return finding.kind().name().toLowerCase(Locale.ROOT);
  }

  static Map<String, Object> asMap(AuditReport report) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("clean", report.isClean());
    map.put("violations", report.violations());
    map.put("repaired", report.repaired());
    map.put("findings", report.findings().stream().map(AuditSheet::asMap).toList());
    return map;
  }

  private static Map<String, Object> asMap(AuditReport.Finding finding) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("group", finding.group().toString());
    map.put("kind", word(finding));
    map.put("count", finding.count());
    map.put("seen", finding.seen());
    return map;
  }
}
