package dev.sluice.internal;

import dev.sluice.RetryPolicy;
import dev.sluice.spi.Tracing;
import java.time.Duration;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts. A thread whose handler has returned goes straight on to the next job that may
 * start now, without asking the store: that is what keeps a limited group busy with short jobs.
 */
final class HandlerPool implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HandlerPool.class);

  private final Workshop workshop;
  private final WorkerEnvironment environment;
  private final Supplier<Tenure> current;
  private final Tracing tracing;
  private final JobThreads threads = new JobThreads();

  /** {@code current} is the tenure to take further jobs from. */
  HandlerPool(Workshop workshop, Supplier<Tenure> current) {
    this.workshop = workshop;
    this.environment = workshop.environment();
    this.current = current;
    this.tracing = environment.settings().reporting().tracing();
  }

  /** Runs each of these on a thread of its own. */
  void start(List<Attempt> attempts) {
    for (Attempt attempt : attempts) {
      try {
        threads.execute(() -> runFrom(attempt));
      } catch (RuntimeException | OutOfMemoryError e) {
        log.error("No thread could be started for {}; it is handed back.", attempt, e);
        attempt.tenure().ended(attempt, Ending.HANDED_BACK, Duration.ZERO);
        workshop.bell().ring();
      }
    }
  }

  private void runFrom(Attempt first) {
    for (Attempt attempt = first; attempt != null; ) {
      run(attempt);
      List<Attempt> next = current.get().takeStartable();
      workshop.bell().ring();
      attempt = next.isEmpty() ? null : next.get(0);
      if (next.size() > 1) {
        start(next.subList(1, next.size()));
      }
    }
  }

  private void run(Attempt attempt) {
    run(environment.tasks().get(attempt.task()), attempt);
  }

  private <T> void run(RegisteredTask<T> task, Attempt attempt) {
    RetryPolicy policy = task.task().retry();
    DoubleSupplier random = environment.random();
    // Time has passed since the attempt was chosen, perhaps a lot: is the lease still good?
    if (!attempt.begin(environment.now()) || !attempt.tenure().holds()) {
      attempt.end();
      Ending ending =
          attempt.stopped() == null
              ? Ending.HANDED_BACK
              : Ending.threw(attempt, null, policy, random);
      attempt.tenure().ended(attempt, ending, Duration.ZERO);
      return;
    }
    RegisteredTask.Opened<T> opened = task.open(attempt, environment.json(), workshop.filing());
    if (opened.obstacle().isPresent()) {
      attempt.end();
      attempt.tenure().ended(attempt, opened.obstacle().get(), Duration.ZERO);
      return;
    }
    String result = null;
    Throwable thrown = null;
    Tracing.Running span = (verdict, failure) -> {};
    try {
      AttemptLog.enter(attempt);
      span = tracing.running(attempt, attempt.job().run().trace());
      workshop.announcer().starting(attempt);
      result = task.run(opened, environment.json(), attempt);
    } catch (Throwable e) {
      // Errors too: a handler's StackOverflowError is its job's failure, not the worker's.
      thrown = e;
    }
    Ending ending = Ending.HANDED_BACK;
    Duration ran = Duration.ZERO;
    try {
      attempt.end();
      ran = attempt.ranUntil(environment.now());
      workshop.prefetch().measured(attempt.task(), ran.toNanos());
      ending =
          thrown == null
              ? Ending.returned(attempt, result, policy, random)
              : Ending.threw(attempt, thrown, policy, random);
      AttemptLog.ended(attempt, ending);
      span.ended(ending.word(), thrown);
    } catch (Throwable e) {
      log.error("After {} its thread failed; the job ends as {}.", attempt, ending.word(), e);
    } finally {
      AttemptLog.leave();
      // Whatever went wrong: else its thread and its slots would be gone for as long as the worker.
      attempt.tenure().ended(attempt, ending, ran);
    }
  }

  @Override
  public void close() {
    threads.close();
  }
}
