package dev.sluice.cli;

import dev.sluice.Alert;
import dev.sluice.Diagnosis;
import dev.sluice.Diagnosis.Finding;
import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.cli.config.Settings;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.server.AlertJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Examines the store and says what it found. */
@Command(
    name = "doctor",
    description = {
      "Examine the store, and say what is wrong with it and what to do.",
      "It looks whether the store can be reached, keeps its promises and can be read, how fast it"
          + " answers, what is in it and, for a bucket or a directory, what a job costs in requests."
          + " What it writes for that it removes. Then it looks for slots that nobody holds, workers that"
          + " are gone and whose jobs nobody has taken up, and for alerts: jobs that no live worker"
          + " serves, tasks whose attempts fail, jobs that wait too long, groups held at 0. [alerts] in"
          + " the configuration says from when on. Exit code 1: something is wrong, or an alert is"
          + " raised."
    },
    footer = {
      "Examples:",
      "  sluice doctor --store s3://bucket/prefix",
      "  sluice doctor --store file:./data",
      "  sluice doctor --fix",
      "  sluice doctor --fix --token-floor 481516",
      "  sluice --json doctor --store postgresql://localhost/app"
    })
final class DoctorCommand implements Callable<Integer> {
  private static final int SUBJECT_WIDTH = 10;

  private final SluiceCommand root;

  @Option(
      names = "--fix",
      description =
          "First put right what can be: give up workers that are gone and put their jobs back in"
              + " line, free expired slots, count slots again. Says what it did.")
  private boolean fix;

  @Option(
      names = "--token-floor",
      paramLabel = "N",
      description =
          "With --fix: let every fencing token from now on be above N, the highest that your own data has"
              + " kept. For a store that was restored from a backup or set up anew.")
  private Long tokenFloor;

  DoctorCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (tokenFloor != null && !fix) {
      throw new InvalidRequestException("--token-floor changes the store; say --fix as well.");
    }
    Diagnosis diagnosis = Sluice.diagnose(root.options(root.schema()));
    List<String> fixed = List.of();
    List<Alert> alerts = List.of();
    // Only where there is something to look at: opening a store would lay it out.
    if (diagnosis.findings().stream().anyMatch(finding -> finding.subject().equals("jobs"))
        && !root.isOfThisProcess()) {
      try (Sluice sluice = root.open()) {
        if (fix) {
          fixed = fix(sluice);
          diagnosis = Sluice.diagnose(root.options(root.schema()));
        }
        diagnosis =
            plus(diagnosis, new HealthChecks(sluice, Instant.now()).examine(diagnosis.findings()));
        alerts = sluice.alerts(Settings.alertThresholds(root.configuration()));
      }
    }
    if (root.json()) {
      Map<String, Object> map = asMap(diagnosis, alerts);
      if (fix) {
        map.put("fixed", fixed);
      }
      root.sayJson(map);
    } else {
      print(plus(diagnosis, alerts.stream().map(DoctorCommand::finding).toList()));
      fixed.forEach(line -> root.say(Printable.of(line)));
      if (fix && fixed.isEmpty()) {
        root.say("There was nothing to fix.");
      }
    }
    return diagnosis.healthy() && alerts.isEmpty() ? ExitCode.OK : ExitCode.NEGATIVE;
  }

  private List<String> fix(Sluice sluice) throws InterruptedException {
    List<String> fixed = new ArrayList<>(new HealthChecks(sluice, Instant.now()).fix());
    if (tokenFloor != null) {
      sluice.concurrency().raiseTokens(tokenFloor);
      fixed.add("Every fencing token from now on is above %,d.".formatted(tokenFloor));
    }
    return fixed;
  }

  private static Diagnosis plus(Diagnosis diagnosis, List<Finding> more) {
    return new Diagnosis(
        diagnosis.store(), Stream.concat(diagnosis.findings().stream(), more.stream()).toList());
  }

  private static Finding finding(Alert alert) {
    String subject =
        switch (alert.kind()) {
          case NO_WORKER -> "workers";
          case UNSERVED, LONG_WAIT -> "jobs";
          case TASK_FAILING -> "tasks";
          case GROUP_HELD -> "groups";
        };
    return new Finding(subject, false, alert.seen(), Optional.of(alert.remedy()), Map.of());
  }

  private void print(Diagnosis diagnosis) {
    Style style = root.console().style();
    String schema = root.schema();
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

  private Map<String, Object> asMap(Diagnosis diagnosis, List<Alert> alerts) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("store", diagnosis.store());
    map.put("schema", root.schema());
    map.put("healthy", diagnosis.healthy() && alerts.isEmpty());
    map.put("findings", diagnosis.findings().stream().map(DoctorCommand::asMap).toList());
    map.put("alerts", AlertJson.of(alerts));
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
