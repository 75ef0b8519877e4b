package dev.sluice.internal;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.Queues.QueueInfo;
import dev.sluice.Why;
import dev.sluice.Why.Reason;
import dev.sluice.WorkerInfo;
import dev.sluice.spi.JobStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Says why a job is where it is, from what the store has on record: a handful of reads, each of
 * them of one moment, so that a busy system may have moved on between them.
 *
 * <p>Not being due comes first, because nothing else matters until then. Next comes what only an
 * operator can change (a paused queue, no worker, no handler, a group that is held), and last what
 * passes by itself (a full group, busy workers).
 */
public final class Explainer {
  private final JobStore store;
  private final Clock clock;

  /** The clock stands in for the store's where no worker is on record with the time. */
  public Explainer(JobStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Empty if there is no such job. */
  public Optional<Why> why(UUID id) {
    return store.jobs().get(id).map(this::explain);
  }

  private Why explain(JobInfo job) {
    if (job.state().finished()) {
      Instant at = job.outcome().finishedAt().orElseGet(clock::instant);
      return settled(job, new Why.Finished(job.state(), at));
    }
    if (job.state() == JobState.RUNNING) {
      String worker = job.progress().workerId().orElse("unknown");
      Instant since = job.progress().startedAt().orElseGet(clock::instant);
      return settled(job, new Why.Running(worker, since, job.progress().cancelRequested()));
    }
    return pending(job);
  }

  private static Why settled(JobInfo job, Reason reason) {
    return new Why(job, List.of(reason), Optional.empty(), Optional.empty(), waited(job));
  }

  private static Optional<Why.Wait> waited(JobInfo job) {
    Instant due = job.spec().schedule().runAt();
    // A job that was called off between two attempts started before it was due: not this time.
    return job.progress()
        .startedAt()
        .filter(started -> !started.isBefore(due))
        .map(
            started -> {
              Duration untilDue = Duration.between(inLineSince(job, started), due);
              return new Why.Wait(
                  Duration.between(due, started),
                  untilDue.isNegative() ? Duration.ZERO : untilDue,
                  job.progress().heldBackBy());
            });
  }

  /** Since when the attempt that started then was to be made. */
  private static Instant inLineSince(JobInfo job, Instant started) {
    return job.failures().stream()
        .map(JobFailure::at)
        .filter(at -> !at.isAfter(started))
        .reduce((first, second) -> second)
        .orElse(job.spec().schedule().submittedAt());
  }

  private Why pending(JobInfo job) {
    List<WorkerInfo> workers = new StoredWorkers(store).list();
    Instant now = workers.isEmpty() ? clock.instant() : workers.get(0).lease().readAt();
    Instant due = job.spec().schedule().runAt();
    boolean notDue = job.state() == JobState.SCHEDULED;
    Workforce serving = Workforce.of(workers).serving(job.spec().queue());
    Workforce able = serving.handling(job.task());
    List<QueueInfo> queues = store.queues().list();

    List<Reason> blocks = new ArrayList<>();
    if (paused(queues, job.spec().queue())) {
      blocks.add(new Why.QueuePaused(job.spec().queue()));
    }
    if (serving.isEmpty()) {
      blocks.add(new Why.NoWorkerForQueue(job.spec().queue()));
    } else if (able.isEmpty()) {
      blocks.add(new Why.NoHandler(job.task(), job.spec().queue()));
    }
    List<ConcurrencyStatus> full = new ArrayList<>();
    for (Group group : job.spec().groups()) {
      ConcurrencyStatus status = store.limits().status(group);
      int limit = status.limit().orElse(Integer.MAX_VALUE);
      if (limit == 0) {
        blocks.add(new Why.GroupHeld(status));
      } else if (status.active() >= limit) {
        full.add(status);
      }
    }
    List<Reason> reasons = new ArrayList<>();
    if (notDue) {
      reasons.add(new Why.NotDue(due, !job.failures().isEmpty()));
      reasons.addAll(blocks);
      Optional<Instant> start = blocks.isEmpty() ? Optional.of(due) : Optional.empty();
      return new Why(job, reasons, Optional.empty(), start, Optional.empty());
    }
    boolean alone =
        queues.stream()
            .filter(info -> !info.name().equals(job.spec().queue()))
            .noneMatch(
                info -> info.ready() > 0 && !info.paused() && able.queues().contains(info.name()));
    Line line = new Line(store.jobs(), job, able, alone, now);
    Line.Standing standing = line.standing(full);
    reasons.addAll(blocks);
    standing.full().forEach(status -> reasons.add(new Why.GroupFull(status)));
    if (able.busy()) {
      reasons.add(new Why.WorkersBusy(able.live().size(), able.running()));
    }
    if (reasons.isEmpty()) {
      reasons.add(new Why.AboutToStart());
    }
    Optional<Instant> start = blocks.isEmpty() ? standing.start() : Optional.empty();
    return new Why(job, reasons, Optional.of(standing.place()), start, Optional.empty());
  }

  private static boolean paused(List<QueueInfo> queues, String queue) {
    return queues.stream().filter(info -> info.name().equals(queue)).anyMatch(QueueInfo::paused);
  }
}
