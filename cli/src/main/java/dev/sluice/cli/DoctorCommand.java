package dev.sluice.cli;

import dev.sluice.Diagnosis;
import dev.sluice.Diagnosis.Finding;
import dev.sluice.Sluice;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Examines the store and says what it found. */
@Command(
    name = "doctor",
    description = {
      "Examine the store, and say what is wrong with it and what to do.",
      "It looks whether the store can be reached, keeps its promises and can be read, how fast it"
          + " answers, what is in it and, for a bucket or a directory, what a job costs in requests."
          + " What it writes for that it removes. Exit code 1: something is wrong."
    },
    footer = {
      "Examples:",
      "  sluice doctor --store s3://bucket/prefix",
      "  sluice doctor --store file:./data",
      "  sluice --json doctor --store postgresql://localhost/app"
    })
final class DoctorCommand implements Callable<Integer> {
  private static final int SUBJECT_WIDTH = 10;

  private final SluiceCommand root;

  DoctorCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    Diagnosis diagnosis = Sluice.diagnose(root.options(SluiceCommand.DEFAULT_SCHEMA));
    if (root.json()) {
      root.sayJson(asMap(diagnosis));
    } else {
      print(diagnosis);
    }
    return diagnosis.healthy() ? ExitCode.OK : ExitCode.NEGATIVE;
  }

  private void print(Diagnosis diagnosis) {
    Style style = root.console().style();
    String schema = root.schemaOr(SluiceCommand.DEFAULT_SCHEMA);
    root.say(style.bold(Printable.of(diagnosis.store())) + ", schema " + Printable.of(schema));
    String last = "";
    for (Finding finding : diagnosis.findings()) {
      String subject = finding.subject().equals(last) ? "" : finding.subject();
      last = finding.subject();
      root.say(
          "  %s  %s  %s"
              .formatted(
                  finding.good() ? style.green("ok ") : style.red("BAD"),
                  style.bold(subject) + " ".repeat(Math.max(0, SUBJECT_WIDTH - subject.length())),
                  Printable.of(finding.seen())));
      finding.remedy().ifPresent(r -> root.say(" ".repeat(SUBJECT_WIDTH + 9) + Printable.of(r)));
    }
    long bad = diagnosis.findings().stream().filter(finding -> !finding.good()).count();
    root.say(
        bad == 0
            ? style.green("Everything is as it should be.")
            : style.red(bad == 1 ? "One thing is wrong." : bad + " things are wrong."));
  }

  private Map<String, Object> asMap(Diagnosis diagnosis) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("store", diagnosis.store());
    map.put("schema", root.schemaOr(SluiceCommand.DEFAULT_SCHEMA));
    map.put("healthy", diagnosis.healthy());
    map.put("findings", diagnosis.findings().stream().map(DoctorCommand::asMap).toList());
    return map;
  }

  private static Map<String, Object> asMap(Finding finding) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("subject", finding.subject());
    map.put("good", finding.good());
    map.put("seen", finding.seen());
    finding.remedy().ifPresent(remedy -> map.put("remedy", remedy));
    if (!finding.figures().isEmpty()) {
      map.put("figures", finding.figures());
    }
    return map;
  }
}
