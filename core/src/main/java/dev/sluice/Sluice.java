package dev.sluice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.internal.Audience;
import dev.sluice.internal.CallerRefusals;
import dev.sluice.internal.Explainer;
import dev.sluice.internal.GroupNames;
import dev.sluice.internal.GuardedTracing;
import dev.sluice.internal.HeardJobStore;
import dev.sluice.internal.JobIds;
import dev.sluice.internal.Json;
import dev.sluice.internal.RenewingLimits;
import dev.sluice.internal.StoredWorkers;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.TasksByName;
import dev.sluice.spi.Tracing;
import java.sql.Connection;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * The entrance: submit jobs, start workers, and set the limits that hold across all of them.
 * Thread-safe; open one per application and close it at the end.
 *
 * <pre>{@code
 * try (Sluice sluice = Sluice.open("postgresql://localhost/app")) {
 *   sluice.submit(SEND_EMAIL, new Email("acme", "hello"));
 *   try (Worker worker = sluice.worker().handle(SEND_EMAIL, (email, ctx) -> smtp.send(email)).start()) { ... }
 * }
 * }</pre>
 */
public final class Sluice implements AutoCloseable {
  private static final int SUBMIT_BATCH = 1_000;
  private static final UnaryOperator<SubmitOptions> NO_OPTIONS = UnaryOperator.identity();

  private final JobStore store;
  private final Json json;
  private final TasksByName tasks;
  private final RenewingLimits limits;
  private final List<SluiceListener> listeners;
  private final Tracing tracing;
  private final CallerRefusals refusals = new CallerRefusals();

  private Sluice(SluiceOptions options) {
    json = options.json();
    listeners = options.listeners();
    tracing = GuardedTracing.guarding(options.tracing());
    Audience<SluiceListener> audience = new Audience<>(listeners);
    store = HeardJobStore.hearing(openStore(options), audience, tracing, refusals);
    tasks = new TasksByName(store.limits());
    limits =
        new RenewingLimits(
            store.limits(), tasks, audience, refusals, options.actor(), options.lease());
  }

  /**
   * Opens the store at a URL: {@code postgresql://user@host/database}, {@code embedded:} (a
   * PostgreSQL of its own), {@code s3://bucket/prefix}, {@code file:directory} or {@code memory:}.
   *
   * @throws StoreUnavailableException if it cannot be reached
   * @throws StoreIncompatibleException if it is too new for this version, or refuses the
   *     credentials
   * @throws InvalidRequestException if no store is known for the URL
   */
  public static Sluice open(String url) {
    return open(SluiceOptions.url(url));
  }

  /**
   * Opens the store on the application's own PostgreSQL data source; see {@link
   * SluiceOptions#dataSource}.
   */
  public static Sluice open(DataSource dataSource) {
    return open(SluiceOptions.dataSource(dataSource));
  }

  /** Opens a store. */
  public static Sluice open(SluiceOptions options) {
    return new Sluice(options);
  }

  /**
   * Examines a store: whether it can be reached and keeps its promises, how fast it answers, what
   * is in it, and what else its kind has to tell. It removes again what it writes for that.
   *
   * @throws InvalidRequestException if no store is known for the URL, or it is malformed
   */
  public static Diagnosis diagnose(SluiceOptions options) {
    StoreSettings settings = options.storeSettings();
    return options.dataSource() == null
        ? StoreProviders.diagnose(options.url(), settings)
        : StoreProviders.onDataSource().diagnose(options.dataSource(), settings);
  }

  private static JobStore openStore(SluiceOptions options) {
    StoreSettings settings = options.storeSettings();
    return options.dataSource() == null
        ? StoreProviders.open(options.url(), settings)
        : StoreProviders.onDataSource().open(options.dataSource(), settings);
  }

  /** Submits a job with default options. */
  public <T> Submission submit(Task<T> task, T payload) {
    return submit(task, payload, NO_OPTIONS);
  }

  /**
   * Submits a job.
   *
   * @throws InvalidRequestException if the payload is too large or cannot be written as JSON
   */
  public <T> Submission submit(Task<T> task, T payload, UnaryOperator<SubmitOptions> options) {
    return store
        .submit(List.of(newJob(task, payload, options.apply(SubmitOptions.DEFAULTS))))
        .get(0);
  }

  /** Submits a class-style job with default options. */
  public Submission submit(Job job) {
    return submit(job, NO_OPTIONS);
  }

  /**
   * Submits a class-style job. The options may put it into a further group; the key and the limit
   * that its class declares hold whatever they say.
   */
  public Submission submit(Job job, UnaryOperator<SubmitOptions> options) {
    return store.submit(List.of(newJob(job, options))).get(0);
  }

  /**
   * Submits a job in the transaction that is open on this connection: it exists if and when that
   * commits.
   *
   * @throws InvalidRequestException if the connection has no transaction that can carry it:
   *     auto-commit, aborted, read-only, closed, or to another database
   */
  public <T> Submission submit(Connection transaction, Task<T> task, T payload) {
    return submit(transaction, task, payload, NO_OPTIONS);
  }

  /**
   * Submits a job in the transaction that is open on this connection: it exists if and when that
   * commits.
   *
   * @throws InvalidRequestException if the connection has no transaction that can carry it, or one
   *     that is not READ COMMITTED though the job has an id of the caller's choice or may be
   *     rejected
   */
  public <T> Submission submit(
      Connection transaction, Task<T> task, T payload, UnaryOperator<SubmitOptions> options) {
    return store
        .submit(transaction, List.of(newJob(task, payload, options.apply(SubmitOptions.DEFAULTS))))
        .get(0);
  }

  /** Submits a class-style job in the transaction that is open on this connection. */
  public Submission submit(Connection transaction, Job job) {
    return store.submit(transaction, List.of(newJob(job, NO_OPTIONS))).get(0);
  }

  /**
   * Submits any number of jobs with default options; see {@link #submitAll(Task, Iterable,
   * UnaryOperator)}.
   */
  public <T> List<Submission> submitAll(Task<T> task, Iterable<? extends T> payloads) {
    return submitAll(task, payloads, NO_OPTIONS);
  }

  /**
   * Submits any number of jobs, a thousand per transaction and round trip; answers in order. If it
   * fails in between, the transactions before stay.
   */
  public <T> List<Submission> submitAll(
      Task<T> task, Iterable<? extends T> payloads, UnaryOperator<SubmitOptions> options) {
    SubmitOptions applied = options.apply(SubmitOptions.DEFAULTS);
    return submitInBatches(payloads, payload -> newJob(task, payload, applied));
  }

  /**
   * Submits any number of class-style jobs, a thousand per transaction and round trip; answers in
   * order.
   */
  public List<Submission> submitAll(Iterable<? extends Job> jobs) {
    return submitInBatches(jobs, job -> newJob(job, NO_OPTIONS));
  }

  /**
   * Submits jobs of different tasks and with different options, a thousand per transaction and
   * round trip; answers in order. All are checked before the first is stored.
   *
   * @throws InvalidRequestException if one is not right; nothing was stored then
   */
  public List<Submission> submitEach(Collection<? extends JobRequest<?>> requests) {
    return submitInBatches(requests.stream().map(this::newJob).toList(), job -> job);
  }

  private <T> List<Submission> submitInBatches(
      Iterable<? extends T> items, Function<T, NewJob> toJob) {
    List<Submission> submissions = new ArrayList<>();
    List<NewJob> batch = new ArrayList<>();
    for (T item : items) {
      batch.add(toJob.apply(item));
      if (batch.size() == SUBMIT_BATCH) {
        submissions.addAll(store.submit(batch));
        batch.clear();
      }
    }
    if (!batch.isEmpty()) {
      submissions.addAll(store.submit(batch));
    }
    return submissions;
  }

  /**
   * A task as it is known to a submitter that has no code of it: with the dimensions that are on
   * record as pointers into the payload (see {@link Task.Builder#maxConcurrentPer(String, String,
   * int)}), and without limits or a retry policy of its own. Jobs submitted with it are in their
   * groups at once, and {@link OnLimit#REJECT} counts them there.
   *
   * <p>What is on record is read at most once a second; ask again for each submit rather than keep
   * the task. A pointer counts while its family has a limit.
   */
  public Task<JsonNode> taskNamed(String name) {
    return tasks.get(name);
  }

  /** Puts a worker together. */
  public WorkerBuilder worker() {
    return new WorkerBuilder(store, json, listeners, tracing, refusals)
        .lease(limits.defaultLease());
  }

  /** The limiter by itself: limits, slots, permits. */
  public ConcurrencyLimits concurrency() {
    return limits;
  }

  /**
   * Whether nothing on record has used the group, and which name on record is the most similar:
   * what an operator should hear who sets a limit for it. Empty if something has used the group.
   */
  public Optional<UnusedGroup> unused(Group group) {
    return new GroupNames(store).unused(group);
  }

  /** The jobs on record. */
  public Jobs jobs() {
    return store.jobs();
  }

  /** The queues. */
  public Queues queues() {
    return store.queues();
  }

  /** The workers, wherever they run. */
  public Workers workers() {
    return new StoredWorkers(store);
  }

  /**
   * Why a job is where it is: what keeps it from starting, who holds the slots it needs, and its
   * place in line; or what it waited for before it ran. Empty if there is no such job.
   */
  public Optional<Why> why(UUID job) {
    return new Explainer(store, Clock.systemUTC()).why(job);
  }

  /**
   * What keeps jobs from getting done, the worst first, {@value Alert#MOST} at most: jobs that no
   * live worker serves, tasks whose attempts fail, jobs that wait too long, groups held at 0. Reads
   * the queues, the workers and the held groups; figures may be some seconds old.
   */
  public List<Alert> alerts(AlertThresholds thresholds) {
    List<WorkerInfo> workers = workers().list();
    Instant now = workers.stream().findFirst().map(w -> w.lease().readAt()).orElseGet(Instant::now);
    return Alert.in(
        new Alert.Observed(
            now,
            queues().list(),
            limits.summaries(GroupQuery.HELD.limit(Alert.MOST)).items(),
            workers),
        thresholds);
  }

  /** The store itself: the seam for what is built on top, such as workflows. */
  public JobStore store() {
    return store;
  }

  /** How payloads and results are written as JSON: the mapper that was given, or the default. */
  public ObjectMapper mapper() {
    return json.mapper();
  }

  /** The largest payload or result, as UTF-8 JSON. */
  public int maxPayloadBytes() {
    return json.maxBytes();
  }

  /** Gives back permits and connections. Close workers first. */
  @Override
  public void close() {
    limits.close();
    store.close();
  }

  @SuppressWarnings("unchecked") // the class of a job is the class of its payload
  private NewJob newJob(Job job, UnaryOperator<SubmitOptions> options) {
    return newJob((Task<Job>) Task.of(job.getClass()), job, options.apply(SubmitOptions.DEFAULTS));
  }

  private <T> NewJob newJob(JobRequest<T> request) {
    return newJob(request.task(), request.payload(), request.options());
  }

  private <T> NewJob newJob(Task<T> task, T payload, SubmitOptions options) {
    String text = json.write("payload of task '" + task.name() + "'", payload);
    return new NewJob(
        new NewJob.Identity(
            options.id().orElseGet(JobIds::next), options.id().isPresent(), options.dedupeKey()),
        task.name(),
        new NewJob.Place(options.queue(), options.priority()),
        new NewJob.Timing(options.runAt(), options.delay(), options.timeout().or(task::timeout)),
        Groups.of(task, payload, text, options),
        text);
  }
}
