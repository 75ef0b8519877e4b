package dev.sluice.bench.peers;

import dev.sluice.bench.report.Section;
import dev.sluice.bench.scenario.Bench;
import dev.sluice.bench.scenario.Progress;
import dev.sluice.bench.scenario.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * Measures contenders on one server, in turns: whatever disturbs the machine for a while disturbs
 * all of them. First everybody warms up, and the limited ones are watched; then the rounds count.
 */
public final class PeersBenchmark implements Scenario {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);

  /** Warming up takes this part of the jobs. */
  private static final int WARM_UP_PART = 4;

  /** Handlers long enough to overlap, and jobs enough to fill the limit many times over. */
  private static final Duration WATCHED_WORK = Duration.ofMillis(5);

  private static final int WATCHED_JOBS = 500;

  private final Contenders contenders;
  private final OptionalInt jobs;

  /**
   * @param contenders who takes part; they are prepared
   * @param jobs how many jobs in each round; empty = as many as suit the contender
   */
  public PeersBenchmark(Contenders contenders, OptionalInt jobs) {
    this.contenders = contenders;
    this.jobs = jobs;
  }

  @Override
  public String name() {
    return "peers";
  }

  @Override
  public String family() {
    return "peers";
  }

  @Override
  public String summary() {
    return "Other systems on the same server, in turns, beside ours and beside the bare SQL.";
  }

  @Override
  public Section run(Bench bench) throws InterruptedException {
    List<Trial> trials =
        contenders.list().stream().map(contender -> new Trial(contender, TIMEOUT)).toList();
    int rounds = bench.plan().runs();
    Progress progress = bench.progress();
    progress.begin(name(), trials.size() * (rounds + 1));
    try {
      for (Trial trial : trials) {
        trial.warmUp(bench.server(), Workload.noOps(Math.max(1, jobsOf(trial) / WARM_UP_PART)));
        if (trial.profile().limit().isPresent()) {
          trial.watchLimit(
              bench.server(), new Workload(Math.min(jobsOf(trial), WATCHED_JOBS), WATCHED_WORK));
        }
        progress.step(trial.profile().name() + ": warmed up");
      }
      for (int round = 1; round <= rounds; round++) {
        for (Trial trial : trials) {
          trial.measure(bench.server(), Workload.noOps(jobsOf(trial)));
          progress.step("%s: round %d of %d".formatted(trial.profile().name(), round, rounds));
        }
      }
    } finally {
      progress.end();
    }
    return PeersSection.of(this, trials.stream().map(Trial::measured).toList());
  }

  private int jobsOf(Trial trial) {
    return jobs.orElse(trial.profile().jobs());
  }
}
