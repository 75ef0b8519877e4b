package dev.sluice.internal;

import dev.sluice.JobContext;
import dev.sluice.WorkerListener;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Retry;
import dev.sluice.spi.JobOutcome.Succeeded;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happened. All but {@link #starting} is told from a thread of its own, in
 * order, so that a slow listener holds up neither handlers nor the exchange with the store.
 */
final class Announcer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Announcer.class);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final List<WorkerListener> listeners;
  private final ExecutorService voice =
      Executors.newSingleThreadExecutor(DaemonThreads.named("sluice-listeners"));

  Announcer(List<WorkerListener> listeners) {
    this.listeners = listeners;
  }

  void starting(JobContext job) {
    tell(listener -> listener.onStart(job));
  }

  /** The store has accepted this. */
  void accepted(Report report) {
    if (report.outcome().verdict() instanceof Succeeded) {
      later(listener -> listener.onSuccess(report.attempt(), report.outcome().ran()));
    } else if (report.outcome().verdict() instanceof Failed) {
      later(listener -> listener.onFailure(report.attempt(), report.failure(), false));
    } else if (report.outcome().verdict() instanceof Retry) {
      later(listener -> listener.onFailure(report.attempt(), report.failure(), true));
    } else if (report.outcome().verdict() instanceof Cancelled) {
      later(listener -> listener.onCancel(report.attempt()));
    }
  }

  void leaseLost(String workerId, int interruptedJobs) {
    later(listener -> listener.onLeaseLost(workerId, interruptedJobs));
  }

  private void later(Consumer<WorkerListener> message) {
    if (!listeners.isEmpty()) {
      try {
        voice.execute(() -> tell(message));
      } catch (RejectedExecutionException e) {
        log.debug("The worker has stopped; its listeners hear no more.");
      }
    }
  }

  private void tell(Consumer<WorkerListener> message) {
    for (WorkerListener listener : listeners) {
      try {
        message.accept(listener);
      } catch (RuntimeException | LinkageError | AssertionError e) {
        log.warn("The listener {} failed; that changes nothing else.", listener, e);
      }
    }
  }

  /** Waits a little for what is still to be told. */
  @Override
  public void close() {
    voice.shutdown();
    try {
      if (!voice.awaitTermination(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS)) {
        log.warn("Listeners are slow: not all of them have heard of the last jobs yet.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
