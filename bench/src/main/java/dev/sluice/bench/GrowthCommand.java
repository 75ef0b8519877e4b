package dev.sluice.bench;

import dev.sluice.InvalidRequestException;
import dev.sluice.bench.scenario.Growth;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Measures how throughput, claim time and memory change as things get larger. */
@Command(
    name = "growth",
    description =
        "Measures throughput, claim time and memory as the backlog, the number of limited groups"
            + " and the number of workers grow.",
    mixinStandardHelpOptions = true)
final class GrowthCommand implements Callable<Integer> {
  private static final int DEFAULT_RUNS = 1;

  @ParentCommand private BenchCommand parent;

  @Mixin private RunOptions options;

  @Option(
      names = "--largest",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Go no further than so many jobs or groups. Default: ${DEFAULT-VALUE}.")
  private int largest;

  @Override
  public Integer call() throws InterruptedException {
    if (largest < Growth.SMALLEST_BACKLOG) {
      throw new InvalidRequestException(
          "--largest is at least " + Growth.SMALLEST_BACKLOG + ": that is where backlogs begin.");
    }
    return new Run(parent.console(), options)
        .measure("growth --largest " + largest, DEFAULT_RUNS, List.of(new Growth(largest)));
  }
}
