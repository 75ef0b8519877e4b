package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import dev.sluice.throttle.InvalidSettingException;
import dev.sluice.throttle.ReportLine;
import dev.sluice.throttle.Throttles;
import java.util.List;
import picocli.CommandLine.Command;

/** Says how many processors there are, and what throttles make of it. */
@Command(
    name = "cpu",
    description = {
      "Show how many processors a process has here, by cgroup, JVM and EFFECTIVE_CPU_CORES, and the"
          + " limits that throttles get from that and from the environment, each with its source. Needs"
          + " no store."
    },
    footer = {"Examples:", "  sluice cpu", "  GREEDY_MODE=false HTTP_CONCURRENCY=20 sluice cpu"})
final class CpuCommand implements Runnable {
  private final SluiceCommand root;

  CpuCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    List<ReportLine> report = report();
    if (root.json()) {
      report.forEach(root::sayJson);
      return;
    }
    Table table =
        new Table(root.console().style()).left("WHAT").right("VALUE").flexible("WHERE FROM");
    report.forEach(line -> table.row(line.subject(), line.value(), Printable.of(line.source())));
    table.lines(root.console().tableWidth()).forEach(root::say);
  }

  private static List<ReportLine> report() {
    try {
      return Throttles.fromEnvironment().report();
    } catch (InvalidSettingException e) {
      throw new InvalidRequestException(e.getMessage(), e);
    }
  }
}
