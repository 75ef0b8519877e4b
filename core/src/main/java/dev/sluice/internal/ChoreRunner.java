package dev.sluice.internal;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs chores again and again, each on a thread of its own; one that fails is tried next time. */
final class ChoreRunner implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChoreRunner.class);

  private final WorkerEnvironment environment;
  private final ScheduledExecutorService scheduler;

  ChoreRunner(WorkerEnvironment environment, List<Chore> chores) {
    this.environment = environment;
    this.scheduler =
        Executors.newScheduledThreadPool(chores.size(), DaemonThreads.named("sluice-chores"));
    chores.forEach(chore -> schedule(chore, new OutageLog(log, chore.what())));
  }

  private void schedule(Chore chore, OutageLog outage) {
    long usual = environment.jittered(chore.interval().toNanos());
    long delay = chore.soon().map(soon -> Math.min(usual, soon.toNanos())).orElse(usual);
    try {
      scheduler.schedule(() -> runOnce(chore, outage), delay, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("'{}' ends with its worker.", chore.what());
    }
  }

  private void runOnce(Chore chore, OutageLog outage) {
    try {
      chore.run();
      outage.worked();
    } catch (RuntimeException e) {
      if (!scheduler.isShutdown()) {
        outage.failed(e);
      }
    }
    schedule(chore, outage);
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    try {
      scheduler.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
