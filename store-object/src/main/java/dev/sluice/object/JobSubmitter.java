package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Submission;
import dev.sluice.object.PutResult.Stored;
import dev.sluice.object.state.Admission;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.JobRecord;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.Segment;
import dev.sluice.object.state.SegmentKeys.Submitted;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Stores new jobs. What gathers while one segment is being put makes up the next, so the more
 * threads submit, the more share a request; nothing waits for a batch to fill.
 *
 * <p>Jobs that need no decision are stored when their segment is: producers never meet, and nobody
 * need be asked. Jobs that do (dedupe key, chosen id, {@link OnLimit#REJECT}) go into segments of
 * their own, which count only once a commit has admitted them: see {@link Admission}.
 *
 * <p><b>Crash</b>: a segment whose put got no answer is there or not; its jobs were acknowledged to
 * nobody, and run if it is. A segment keeps its key for all tries, so it never appears twice; a try
 * that arrives after the segment was done with and deleted is recognised by its number.
 */
final class JobSubmitter {
  private static final int MOST_JOBS = 5_000;
  private static final int MOST_CHARACTERS = 8 << 20;

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final StoreClock clock;
  private final Committer committer;
  private final Committer.Parts parts;
  private final String producer;
  private final Gathering<Batch> batches;
  private long sequence;
  private long latestSubmit;

  private record Batch(
      List<NewJob> jobs, boolean guarded, CompletableFuture<List<Submission>> answer) {
    int characters() {
      return jobs.stream().mapToInt(job -> job.payload().length()).sum();
    }
  }

  JobSubmitter(
      ObjectStore store, StoreEnvironment environment, Committer committer, Committer.Parts parts) {
    this.store = store;
    this.environment = environment;
    this.clock = parts.clock();
    this.committer = committer;
    this.parts = parts;
    this.producer = environment.nonce();
    this.batches =
        new Gathering<>(
            environment.submits(), JobSubmitter::takeSome, this::store, batch -> batch.answer);
  }

  /** Stores these jobs, all in one segment, and answers for each in order. */
  List<Submission> submit(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    boolean guarded = jobs.stream().anyMatch(job -> entry(job).isGuarded());
    Batch batch = new Batch(jobs, guarded, new CompletableFuture<>());
    batches.add(batch);
    try {
      return environment.await().result(batch.answer);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownOutcomeException(
          "Interrupted while jobs were being stored; whether they are is not known.", e);
    } catch (ExecutionException e) {
      throw Committer.rethrown(e.getCause());
    }
  }

  /** The batches that share the next segment. */
  private static List<Batch> takeSome(Queue<Batch> waiting) {
    List<Batch> some = new ArrayList<>();
    int jobs = 0;
    int characters = 0;
    while (!waiting.isEmpty()
        && (some.isEmpty()
            || (waiting.peek().guarded == some.get(0).guarded
                && jobs + waiting.peek().jobs.size() <= MOST_JOBS
                && characters + waiting.peek().characters() <= MOST_CHARACTERS))) {
      Batch next = waiting.poll();
      jobs += next.jobs.size();
      characters += next.characters();
      some.add(next);
    }
    return some;
  }

  private void store(List<Batch> batches) {
    // What the store says corrects the clock, back too; jobs of one process keep their order.
    latestSubmit = Math.max(latestSubmit, clock.now());
    long now = latestSubmit;
    List<JobRecord> records = new ArrayList<>();
    batches.forEach(batch -> batch.jobs.forEach(job -> records.add(record(job, now))));
    boolean guarded = batches.get(0).guarded;
    String key = new Submitted(producer, ++sequence, guarded).key();
    String token = environment.nonce();
    byte[] body = JobDocuments.writeSegment(records, token);
    if (!(store.putIfAbsent(key, ObjectBody.withToken(body, token)) instanceof Stored)) {
      throw new StoreUnavailableException(
          "Another process wrote the segment '%s'. Submit again.".formatted(key));
    }
    Segment segment = new Segment(key, records);
    if (parts.waker().hasSleepers()) {
      // A worker here is about to want it. A process that only submits keeps nothing.
      parts.segments().put(segment);
    }
    Map<Integer, Submission> refused = guarded ? admit(segment) : Map.of();
    int index = 0;
    for (Batch batch : batches) {
      List<Submission> answers = new ArrayList<>();
      for (NewJob job : batch.jobs) {
        Submission refusal = refused.get(index++);
        answers.add(refusal == null ? new Submission.Submitted(job.identity().id()) : refusal);
      }
      batch.answer.complete(List.copyOf(answers));
    }
    parts.waker().wake();
  }

  /** Has a commit decide; the answers for jobs that it refused. */
  private Map<Integer, Submission> admit(Segment segment) {
    parts.segments().put(segment);
    // Jobs that others have submitted count too, admitted or not.
    List<Inbox.Found> inbox = parts.inbox().list();
    committer.fetchSubmitted(inbox);
    try {
      return committer.commit(
          draft -> {
            Committer.admitAll(draft, inbox, parts);
            return Admission.admit(draft, segment, parts.archivedIds(draft));
          });
    } catch (StoreIncompatibleException e) {
      throw new StoreIncompatibleException(
          e.getMessage() + " Whether these jobs are accepted is decided then.", e);
    }
  }

  private static JobRecord record(NewJob job, long now) {
    long runAt =
        job.timing().runAt().map(Micros::notBefore).orElse(now + Micros.of(job.timing().delay()));
    NewJob.Concurrency concurrency = job.concurrency();
    JobRecord.Bond bond =
        concurrency.groups().isEmpty() && concurrency.limited().isEmpty()
            ? JobRecord.Bond.NONE
            : new JobRecord.Bond(
                concurrency.groups().stream().map(Group::toString).toList(),
                concurrency.limited().map(Group::toString).orElse(null),
                concurrency.limit().isPresent() ? concurrency.limit().getAsInt() : null,
                false);
    return new JobRecord(
        job.identity().id(),
        new JobRecord.Spec(
            job.task(),
            new JobRecord.Place(job.place().queue(), job.place().priority()),
            new JobRecord.Timing(
                now, runAt, job.timing().timeout().map(Duration::toMillis).orElse(null)),
            bond,
            entry(job),
            job.payload()),
        JobRecord.Past.NONE);
  }

  private static JobRecord.Entry entry(NewJob job) {
    NewJob.Identity identity = job.identity();
    return new JobRecord.Entry(
        identity.explicit(),
        identity.dedupeKey().orElse(null),
        job.concurrency().onLimit() == OnLimit.REJECT,
        identity
            .run()
            .map(run -> new JobRecord.Owner(run.id(), Micros.of(run.since())))
            .orElse(null),
        identity.trace().orElse(null));
  }
}
