package dev.sluice.bench.peers;

import dev.sluice.bench.server.BenchDatabase;
import dev.sluice.bench.server.BenchServer;
import dev.sluice.cli.text.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One contender on its way through a run. Once it has failed, or did not finish in time, it is left
 * alone: later rounds would only wait for it again.
 */
final class Trial {
  private static final Duration TO_GIVE_UP = Duration.ofSeconds(20);

  private final Contender contender;
  private final Duration timeout;
  private final List<Timing> timings = new ArrayList<>();
  private OptionalInt peak = OptionalInt.empty();
  private Optional<String> failure = Optional.empty();

  /**
   * @param timeout how long one workload may take, from an empty database on
   */
  Trial(Contender contender, Duration timeout) {
    this.contender = contender;
    this.timeout = timeout;
  }

  Profile profile() {
    return contender.profile();
  }

  /** Runs a workload that does not count. */
  void warmUp(BenchServer server, Workload workload) throws InterruptedException {
    attempt(server, workload);
  }

  /** Runs a workload to see how many handlers overlap. */
  void watchLimit(BenchServer server, Workload workload) throws InterruptedException {
    attempt(server, workload).ifPresent(timing -> peak = OptionalInt.of(timing.peak()));
  }

  /** Runs a workload that counts. */
  void measure(BenchServer server, Workload workload) throws InterruptedException {
    attempt(server, workload).ifPresent(timings::add);
  }

  Measured measured() {
    return new Measured(profile(), timings, peak, failure);
  }

  private Optional<Timing> attempt(BenchServer server, Workload workload)
      throws InterruptedException {
    if (failure.isPresent()) {
      return Optional.empty();
    }
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (BenchDatabase database = server.createDatabase(databaseName())) {
      Future<Timing> run = thread.submit(() -> contender.run(database.endpoint(), workload));
      try {
        return Optional.of(run.get(timeout.toMillis(), TimeUnit.MILLISECONDS));
      } catch (TimeoutException e) {
        fail("not done after " + Durations.format(timeout));
      } catch (ExecutionException e) {
        fail(reason(e.getCause()));
      } finally {
        // What it holds, it gives back before its database goes.
        thread.shutdownNow();
        thread.awaitTermination(TO_GIVE_UP.toMillis(), TimeUnit.MILLISECONDS);
      }
      return Optional.empty();
    }
  }

  private void fail(String reason) {
    failure = Optional.of(reason);
  }

  private static String reason(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  private String databaseName() {
    return "bench_" + profile().name().replace('-', '_');
  }
}
