package dev.sluice.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobContext;
import dev.sluice.WorkerBulletin;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Failure;
import dev.sluice.spi.JobOutcome.Refiled;
import dev.sluice.spi.JobOutcome.Retry;
import dev.sluice.spi.JobOutcome.Succeeded;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * What a worker has done since it started, under whatever lease: counts and the latest events.
 * Written by every thread of the worker, some tens of thousands of times a second. Thread-safe.
 */
final class Chronicle {
  private final Instant since = Instant.now();
  private final WorkerTally tasks;
  private final GroupTallies groups = new GroupTallies();
  private final EventRing events = new EventRing();

  Chronicle(Collection<String> tasks) {
    this.tasks = new WorkerTally(tasks, System::nanoTime);
  }

  void started(JobContext job) {
    tasks.started(job.task());
    events.routine("started", job.jobId(), job.task());
  }

  void accepted(JobContext job, JobOutcome outcome) {
    tasks.ended(job.task(), outcome);
    if (outcome.verdict() instanceof Succeeded) {
      events.routine("succeeded", job.jobId(), job.task());
    } else if (outcome.verdict() instanceof Failed failed) {
      events.trouble("failed", job.jobId(), job.task(), text(failed.failure()));
    } else if (outcome.verdict() instanceof Retry retry) {
      events.trouble("retried", job.jobId(), job.task(), text(retry.failure()));
    } else if (outcome.verdict() instanceof Cancelled) {
      events.trouble("cancelled", job.jobId(), job.task(), "");
    } else if (outcome.verdict() instanceof Refiled) {
      events.routine("refiled", job.jobId(), job.task());
    }
  }

  private static String text(Failure failure) {
    return failure.message().isEmpty() ? failure.type() : failure.type() + ": " + failure.message();
  }

  void acquired(List<String> limited, long waitedNanos) {
    groups.acquired(limited, waitedNanos);
  }

  void rejected(String group) {
    groups.rejected(group);
  }

  void leaseLost(String workerId, int interruptedJobs) {
    events.trouble(
        "lease_lost", null, "", "worker %s, %d handlers".formatted(workerId, interruptedJobs));
  }

  /** All of it at this moment. */
  WorkerBulletin bulletin(WorkerBulletin.Load load, Map<String, JsonNode> notices) {
    return new WorkerBulletin(
        since,
        Instant.now(),
        load,
        new WorkerBulletin.Tally(tasks.read(), groups.read()),
        events.read(),
        notices);
  }
}
