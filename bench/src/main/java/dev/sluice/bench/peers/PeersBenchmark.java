package dev.sluice.bench.peers;

import dev.sluice.bench.report.Section;
import dev.sluice.bench.server.BenchServer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Measures contenders on one server, in turns: whatever disturbs the machine for a while disturbs
 * all of them. First everybody warms up, and the limited ones are watched; then the rounds count.
 */
public final class PeersBenchmark {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);

  /** Warming up takes this part of the jobs. */
  private static final int WARM_UP_PART = 4;

  /** Handlers long enough to overlap, and jobs enough to fill the limit many times over. */
  private static final Duration WATCHED_WORK = Duration.ofMillis(5);

  private static final int WATCHED_JOBS = 500;

  private final BenchServer server;
  private final Contenders contenders;
  private final int rounds;
  private final OptionalInt jobs;

  /**
   * @param rounds how often each contender is measured
   * @param jobs how many jobs in each round; empty = as many as suit the contender
   */
  public PeersBenchmark(BenchServer server, Contenders contenders, int rounds, OptionalInt jobs) {
    this.server = server;
    this.contenders = contenders;
    this.rounds = rounds;
    this.jobs = jobs;
  }

  /** How many steps a run has. */
  public int steps() {
    int limited =
        (int) contenders.list().stream().filter(each -> each.profile().limit().isPresent()).count();
    return contenders.list().size() * (rounds + 1) + limited;
  }

  /**
   * Runs them all; they are prepared.
   *
   * @param steps hears of every step before it starts
   */
  public Section run(Consumer<String> steps) throws InterruptedException {
    List<Trial> trials =
        contenders.list().stream().map(contender -> new Trial(contender, TIMEOUT)).toList();
    for (Trial trial : trials) {
      steps.accept(trial.profile().name() + ": warm-up");
      trial.warmUp(server, Workload.noOps(Math.max(1, jobsOf(trial) / WARM_UP_PART)));
      if (trial.profile().limit().isPresent()) {
        steps.accept(trial.profile().name() + ": watching the limit");
        trial.watchLimit(server, new Workload(Math.min(jobsOf(trial), WATCHED_JOBS), WATCHED_WORK));
      }
    }
    for (int round = 1; round <= rounds; round++) {
      for (Trial trial : trials) {
        steps.accept("%s: round %d of %d".formatted(trial.profile().name(), round, rounds));
        trial.measure(server, Workload.noOps(jobsOf(trial)));
      }
    }
    return PeersSection.of(trials.stream().map(Trial::measured).toList());
  }

  private int jobsOf(Trial trial) {
    return jobs.orElse(trial.profile().jobs());
  }
}
