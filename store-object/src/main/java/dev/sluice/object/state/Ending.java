package dev.sluice.object.state;

import dev.sluice.Group;
import dev.sluice.JobFailure;
import dev.sluice.JobState;
import dev.sluice.object.state.FinishedJob.End;
import dev.sluice.object.state.FinishedJob.Run;
import dev.sluice.spi.JobOutcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * How attempts end: by the word of their worker, by a user's wish, or with their worker.
 *
 * <p>An outcome counts only under the token of the claim that is on record, so one that comes after
 * the job was given to another changes nothing. A job that failed and is tried again gets a new
 * record with one failure more, hence a new segment; so does one that is filed anew, with other
 * groups. One that was only handed back keeps its record and its place in line.
 */
public final class Ending {
  private Ending() {}

  /** What became of an outcome. */
  public enum Recorded {
    /** Nothing: the job was not this worker's any more under this token. */
    TOO_LATE,
    AS_TOLD,
    /** The job is cancelled, because its outcome says so or because somebody had asked for it. */
    CANCELLED
  }

  /** Records an outcome. */
  public static Recorded report(ShardDraft draft, String worker, JobOutcome outcome) {
    RunningJob job = draft.running().get(outcome.id());
    if (job == null
        || job.claim().token() != outcome.token()
        || !job.claim().worker().equals(worker)) {
      return Recorded.TOO_LATE;
    }
    long ran = Micros.of(outcome.ran());
    JobOutcome.Verdict verdict = outcome.verdict();
    if (verdict instanceof JobOutcome.Succeeded succeeded) {
      Run run = run(draft, job, true, ran);
      String result = succeeded.result().orElse(null);
      finish(draft, outcome.id(), job, run, new End(JobState.SUCCEEDED, draft.now(), result, null));
    } else if (verdict instanceof JobOutcome.Failed failed) {
      Run run = run(draft, job, true, ran);
      JobFailure failure = failure(draft, run.attempt(), failed.failure());
      finish(draft, outcome.id(), job, run, new End(JobState.FAILED, draft.now(), null, failure));
    } else if (verdict instanceof JobOutcome.Cancelled || job.cancelRequested()) {
      // A job that was asked to stop does not come back, whatever its attempt says.
      cancel(draft, outcome.id(), job, !outcome.ran().isZero(), ran);
      return Recorded.CANCELLED;
    } else if (verdict instanceof JobOutcome.Retry retry) {
      Run run = run(draft, job, true, ran);
      JobFailure failure = failure(draft, run.attempt(), retry.failure());
      long due = draft.now() + Micros.of(retry.delay());
      draft.moveAway(
          outcome.id(), draft.record(job.place()).again(past(draft, job, run, failure), due));
    } else if (verdict instanceof JobOutcome.Snoozed snoozed) {
      draft.handBack(outcome.id(), draft.now() + Micros.of(snoozed.delay()));
    } else if (verdict instanceof JobOutcome.Refiled refiled) {
      List<String> groups = refiled.groups().stream().map(Group::toString).toList();
      draft.moveAway(
          outcome.id(), draft.record(job.place()).refiled(groups, heldBack(draft, job), job.due()));
    } else {
      draft.handBack(outcome.id(), job.due());
    }
    return Recorded.AS_TOLD;
  }

  private static JobRecord.Past heldBack(ShardDraft draft, RunningJob job) {
    JobRecord.Past past = draft.record(job.place()).past();
    return new JobRecord.Past(
        past.attempt(), past.failures(), past.worker(), past.startedAt(), job.claim().heldBackBy());
  }

  private static JobFailure failure(ShardDraft draft, int attempt, JobOutcome.Failure failure) {
    return failure(
        draft, attempt, text(failure.type()), text(failure.message()), text(failure.stackTrace()));
  }

  /** A failure as it goes on record now. */
  private static JobFailure failure(
      ShardDraft draft, int attempt, String type, String message, String stackTrace) {
    return new JobFailure(attempt, Micros.toInstant(draft.now()), type, message, stackTrace);
  }

  private static String text(String given) {
    return given == null ? "" : given;
  }

  private static JobRecord.Past past(
      ShardDraft draft, RunningJob job, Run run, JobFailure failure) {
    List<JobFailure> failures = draft.record(job.place()).past().failures();
    return new JobRecord.Past(
            run.attempt(), failures, run.worker(), run.startedAt(), run.heldBackBy())
        .with(failure);
  }

  /** The run that ends: an attempt whose start was never reported counts if it ran. */
  private static Run run(ShardDraft draft, RunningJob job, boolean ran, long micros) {
    int before = draft.record(job.place()).past().attempt();
    boolean counts = job.hasStarted() || ran;
    Long startedAt =
        job.hasStarted() ? (Long) job.startedAt() : ran ? (Long) (draft.now() - micros) : null;
    return new Run(
        before + (counts ? 1 : 0),
        job.claim().worker(),
        startedAt,
        job.due(),
        job.note(),
        job.claim().heldBackBy());
  }

  private static void cancel(ShardDraft draft, UUID id, RunningJob job, boolean ran, long micros) {
    Run run = run(draft, job, ran, micros);
    finish(draft, id, job, run, new End(JobState.CANCELLED, draft.now(), null, null));
  }

  private static void finish(ShardDraft draft, UUID id, RunningJob job, Run run, End end) {
    draft.finish(new FinishedJob(id, job.place(), run, end));
    forgetIdleLimits(draft, draft.record(job.place()));
  }

  private static void forgetIdleLimits(ShardDraft draft, JobRecord job) {
    job.spec().bond().groups().forEach(group -> LimitRules.forgetIfIdle(draft, group));
  }

  /** Calls a job off, or asks its worker to; whether it was unfinished. */
  public static boolean cancel(ShardDraft draft, UUID id) {
    RunningJob running = draft.running().get(id);
    if (running != null) {
      if (!running.cancelRequested()) {
        draft.update(id, running.withCancelRequest());
      }
      return true;
    }
    return JobFinder.unfinished(draft, id)
        .map(
            place -> {
              JobRecord job = draft.record(place);
              Long handedBack = draft.back().remove(place);
              if (handedBack == null) {
                draft.takeFromLine(place);
              }
              long due = handedBack == null ? job.spec().timing().runAt() : handedBack;
              JobRecord.Past past = job.past();
              Run run =
                  new Run(
                      past.attempt(),
                      past.worker(),
                      past.startedAt(),
                      due,
                      null,
                      past.heldBackBy());
              End end = new End(JobState.CANCELLED, draft.now(), null, null);
              draft.finish(new FinishedJob(id, place, run, end));
              forgetIdleLimits(draft, job);
              return true;
            })
        .orElse(false);
  }

  /** Puts every job of a worker whose claim it does not know of back in line; token by job. */
  public static void handBackUnknown(ShardDraft draft, String worker, Map<UUID, Long> known) {
    for (Map.Entry<UUID, RunningJob> entry : jobsOf(draft, worker)) {
      Long token = known.get(entry.getKey());
      if (token == null || token != entry.getValue().claim().token()) {
        takeBack(draft, entry.getKey(), entry.getValue());
      }
    }
  }

  private static void takeBack(ShardDraft draft, UUID id, RunningJob job) {
    if (job.cancelRequested()) {
      cancel(draft, id, job, false, 0);
    } else {
      draft.handBack(id, job.due());
    }
  }

  /** Stands for the task of a job whose record is damaged. */
  private static final String UNREADABLE = "unreadable";

  /**
   * What a worker left behind.
   *
   * @param name the worker's name
   * @param requeued how many jobs are ready again, by task
   * @param freed how many slots are free, by group
   */
  public record Legacy(String name, Map<String, Integer> requeued, Map<String, Integer> freed) {}

  /**
   * Ends a worker's standing. One that signs off hands its jobs back untouched; what a dead one had
   * started counts as a failed attempt.
   */
  public static Legacy retire(ShardDraft draft, String worker, boolean died) {
    Map<String, Integer> requeued = new HashMap<>();
    for (Map.Entry<UUID, RunningJob> entry : jobsOf(draft, worker)) {
      RunningJob job = entry.getValue();
      boolean readable = draft.isReadable(job.place());
      if (!job.cancelRequested()) {
        String task = readable ? draft.record(job.place()).spec().task() : UNREADABLE;
        requeued.merge(task, 1, Integer::sum);
      }
      if (!readable) {
        // Its record is damaged: nothing can be added to it, but what it held comes free.
        draft.handBack(entry.getKey(), job.due());
      } else if (died && job.hasStarted() && !job.cancelRequested()) {
        Run run = run(draft, job, false, 0);
        JobFailure lost =
            failure(
                draft,
                run.attempt(),
                "WorkerLost",
                "The worker " + worker + " lost its lease while the job ran.",
                "");
        JobRecord.Past past = past(draft, job, run, lost);
        JobRecord.Past forgotten =
            new JobRecord.Past(past.attempt(), past.failures(), null, null, past.heldBackBy());
        draft.moveAway(entry.getKey(), draft.record(job.place()).again(forgotten, job.due()));
      } else {
        takeBack(draft, entry.getKey(), job);
      }
    }
    Map<String, Integer> freed = Slots.freeAll(draft, worker);
    WorkerEntry entry = draft.workers().get(worker);
    draft.removeWorker(worker);
    LimitRules.syncDeclared(draft, entry.tasks());
    return new Legacy(entry.name(), requeued, freed);
  }

  private static List<Map.Entry<UUID, RunningJob>> jobsOf(ShardDraft draft, String worker) {
    return draft.running().entrySet().stream()
        .filter(entry -> entry.getValue().claim().worker().equals(worker))
        .map(entry -> Map.entry(entry.getKey(), entry.getValue()))
        .sorted((a, b) -> JobRecord.compareIds(a.getKey(), b.getKey()))
        .toList();
  }
}
