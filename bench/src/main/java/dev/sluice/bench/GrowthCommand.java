package dev.sluice.bench;

import dev.sluice.InvalidRequestException;
import dev.sluice.bench.scenario.Growth;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Measures how throughput, claim time and memory change as things get larger. */
@Command(
    name = "growth",
    description =
        "Measures throughput, claim time, the server's CPU time and memory as the backlog, the"
            + " number of limited groups and the number of workers grow.",
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

  @Parameters(
      paramLabel = "WHAT",
      description = "What is to grow: ${COMPLETION-CANDIDATES}. Default: one after the other.")
  private Set<Growth.Thing> things = EnumSet.noneOf(Growth.Thing.class);

  @Override
  public Integer call() throws InterruptedException {
    if (largest < Growth.SMALLEST_BACKLOG) {
      throw new InvalidRequestException(
          "--largest is at least " + Growth.SMALLEST_BACKLOG + ": that is where backlogs begin.");
    }
    Set<Growth.Thing> chosen = things.isEmpty() ? EnumSet.allOf(Growth.Thing.class) : things;
    String words = things.stream().map(thing -> " " + thing).collect(Collectors.joining());
    return new Run(parent.console(), options)
        .measure(
            "growth%s --largest %d".formatted(words.toLowerCase(Locale.ROOT), largest),
            DEFAULT_RUNS,
            List.of(new Growth(largest, chosen)));
  }
}
