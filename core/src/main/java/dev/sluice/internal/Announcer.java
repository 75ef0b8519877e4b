package dev.sluice.internal;

import dev.sluice.AuditReport;
import dev.sluice.Group;
import dev.sluice.JobContext;
import dev.sluice.WorkerListener;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Refiled;
import dev.sluice.spi.JobOutcome.Retry;
import dev.sluice.spi.JobOutcome.Succeeded;
import dev.sluice.spi.JobOutcome.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts what happens on record and tells listeners. All but {@link #starting} is told from a thread
 * of its own, in order, so that a slow listener holds up neither handlers nor the exchange with the
 * store. What happens job by job is gathered and handed to that thread a turn of the exchange loop
 * at a time: see {@link #flush}.
 */
final class Announcer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Announcer.class);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  private final Audience<WorkerListener> listeners;
  private final Chronicle chronicle;
  private final ExecutorService voice =
      Executors.newSingleThreadExecutor(DaemonThreads.named("sluice-listeners"));
  private List<Consumer<WorkerListener>> gathered = new ArrayList<>();

  Announcer(List<WorkerListener> listeners, Chronicle chronicle) {
    this.listeners = new Audience<>(listeners);
    this.chronicle = chronicle;
  }

  void starting(JobContext job) {
    chronicle.started(job);
    listeners.tell(listener -> listener.onStart(job));
  }

  /** A job got its slots in these groups; called with the monitor of its tenure held. */
  void acquired(List<String> limited, Duration waited) {
    if (limited.isEmpty()) {
      return;
    }
    chronicle.acquired(limited, waited.toNanos());
    gather(listener -> limited.forEach(group -> listener.onAcquired(Group.parse(group), waited)));
  }

  /** A group was found full, for the first time since the worker last got a slot of it. */
  void rejected(String group) {
    chronicle.rejected(group);
    gather(listener -> listener.onRejected(Group.parse(group)));
  }

  void claimed(int jobs, Duration took) {
    gather(listener -> listener.onClaim(jobs, took));
  }

  /** The store has accepted this. */
  void accepted(Report report) {
    chronicle.accepted(report.attempt(), report.outcome());
    Duration ran = report.outcome().ran();
    if (!ran.isZero()) {
      gather(listener -> listener.onEnded(report.attempt(), ran));
    }
    gather(listener -> tell(report, listener));
  }

  private static void tell(Report report, WorkerListener listener) {
    Verdict verdict = report.outcome().verdict();
    if (verdict instanceof Succeeded) {
      listener.onSuccess(report.attempt(), report.outcome().ran());
    } else if (verdict instanceof Failed) {
      listener.onFailure(report.attempt(), report.failure(), false);
    } else if (verdict instanceof Retry) {
      listener.onFailure(report.attempt(), report.failure(), true);
    } else if (verdict instanceof Cancelled) {
      listener.onCancel(report.attempt());
    } else if (verdict instanceof Refiled) {
      listener.onRefiled(report.attempt());
    }
  }

  void audited(AuditReport report) {
    gather(listener -> listener.onAudit(report));
    flush();
  }

  void leaseLost(String workerId, int interruptedJobs) {
    chronicle.leaseLost(workerId, interruptedJobs);
    gather(listener -> listener.onLeaseLost(workerId, interruptedJobs));
    flush();
  }

  private void gather(Consumer<WorkerListener> message) {
    if (!listeners.isEmpty()) {
      synchronized (this) {
        gathered.add(message);
      }
    }
  }

  /** Has told what was gathered. */
  void flush() {
    List<Consumer<WorkerListener>> messages;
    synchronized (this) {
      if (gathered.isEmpty()) {
        return;
      }
      messages = gathered;
      gathered = new ArrayList<>();
      try {
        // With the lock held: batches are told in the order in which they were gathered.
        voice.execute(() -> messages.forEach(listeners::tell));
      } catch (RejectedExecutionException e) {
        log.debug("The worker has stopped; its listeners hear no more.");
      }
    }
  }

  /** Waits a little for what is still to be told. */
  @Override
  public void close() {
    flush();
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
