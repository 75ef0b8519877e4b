package dev.sluice.bench;

import dev.sluice.InvalidRequestException;
import dev.sluice.bench.peers.Contenders;
import dev.sluice.bench.peers.PeersBenchmark;
import dev.sluice.bench.scenario.Plan;
import dev.sluice.cli.text.Console;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Measures other systems beside ours. */
@Command(
    name = "peers",
    description = "Measures other systems on the same server, in turns with ours.",
    mixinStandardHelpOptions = true)
final class PeersCommand implements Callable<Integer> {
  @ParentCommand private BenchCommand parent;

  @Mixin private RunOptions options;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "How many jobs in each round. Default: as many as suit the contender.")
  private Integer jobs;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      description = "Measure only these, separated by commas; an unknown name lists all.")
  private List<String> only;

  @Override
  public Integer call() throws InterruptedException {
    if (jobs != null && jobs < 1) {
      throw new InvalidRequestException("--jobs is at least 1.");
    }
    Console console = parent.console();
    Contenders all = Contenders.all(console.err()::println);
    Contenders chosen = only == null ? all : all.only(only);
    chosen.prepare();
    return new Run(console, options)
        .measure(
            words(),
            Plan.DEFAULT_RUNS,
            List.of(
                new PeersBenchmark(
                    chosen, jobs == null ? OptionalInt.empty() : OptionalInt.of(jobs))));
  }

  private String words() {
    return "peers"
        + (jobs == null ? "" : " --jobs " + jobs)
        + (only == null ? "" : " --only " + String.join(",", only));
  }
}
