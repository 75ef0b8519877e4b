package dev.sluice.postgres;

import dev.sluice.Submission;
import dev.sluice.spi.Capability;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.LimitStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.QueueStore;
import dev.sluice.spi.RecoveryReport;
import dev.sluice.spi.RecoveryReport.DeadWorker;
import dev.sluice.spi.RunStore;
import dev.sluice.spi.ScheduleStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import dev.sluice.spi.WorkerStore;
import java.sql.Connection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The store on PostgreSQL. */
final class PostgresJobStore implements JobStore {
  private static final String STORE_ID = "SELECT store_id FROM ${schema}.meta";
  private static final String SHORTEN_LEASES = "SELECT ${schema}.shorten_leases()";
  private static final String RECOVER =
      "SELECT kind, worker, name, number FROM ${schema}.recover()";
  private static final String FORGET_IDLE_GROUPS = "SELECT ${schema}.forget_idle_groups(1000)";

  private final Database database;
  private final Waker waker;
  private final NotificationListener listener;
  private final JobSubmitter submitter;
  private final PostgresWorkerSession.Links links;
  private final PostgresJobCatalog jobs;
  private final PostgresRunStore runs;
  private final PostgresLimitStore limits;
  private final PostgresQueueStore queues;
  private final PostgresWorkerStore workers;
  private final PostgresScheduleStore schedules;

  private PostgresJobStore(Database database, UUID storeId) {
    this.database = database;
    this.waker = new Waker(database);
    this.listener = new NotificationListener(database);
    GroupKeeper keeper = new GroupKeeper(database);
    this.submitter = new JobSubmitter(database, storeId, waker, keeper);
    this.links = new PostgresWorkerSession.Links(listener, waker, submitter, keeper);
    JobCensus census = new JobCensus(database);
    this.jobs = new PostgresJobCatalog(database, waker, census);
    this.runs = new PostgresRunStore(database);
    this.limits = new PostgresLimitStore(database, submitter, waker, listener);
    this.queues = new PostgresQueueStore(database, census);
    this.workers = new PostgresWorkerStore(database);
    this.schedules = new PostgresScheduleStore(database);
  }

  static JobStore open(Database database) {
    try {
      new SchemaMigrator(database).migrate();
      UUID storeId = database.one(STORE_ID, row -> row.getObject(1, UUID.class));
      return new PostgresJobStore(database, storeId);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(Capability.TRANSACTIONAL_SUBMIT, Capability.PUSH_WAKE_UP);
  }

  @Override
  public List<Submission> submit(List<NewJob> newJobs) {
    return submitter.submit(newJobs);
  }

  @Override
  public List<Submission> submit(Connection transaction, List<NewJob> newJobs) {
    return submitter.submit(transaction, newJobs);
  }

  @Override
  public JobCatalog jobs() {
    return jobs;
  }

  @Override
  public RunStore runs() {
    return runs;
  }

  @Override
  public LimitStore limits() {
    return limits;
  }

  @Override
  public QueueStore queues() {
    return queues;
  }

  @Override
  public WorkerStore workers() {
    return workers;
  }

  @Override
  public ScheduleStore schedules() {
    return schedules;
  }

  @Override
  public WorkerSession openSession(WorkerRegistration registration) {
    return PostgresWorkerSession.open(database, registration, links);
  }

  @Override
  public RecoveryReport recover() {
    record Found(String kind, String worker, String name, int number) {}
    database.run(SHORTEN_LEASES);
    List<Found> found =
        database.list(
            RECOVER,
            row -> new Found(row.getString(1), row.getString(2), row.getString(3), row.getInt(4)));
    database.run(FORGET_IDLE_GROUPS);
    limits.callBackForgotten();
    Map<String, DeadWorker> dead = new LinkedHashMap<>();
    Map<String, Integer> slots = new HashMap<>();
    for (Found each : found) {
      switch (each.kind) {
        case "worker" ->
            dead.put(each.worker, new DeadWorker(each.worker, each.name, new HashMap<>()));
        case "job" -> dead.get(each.worker).requeuedJobs().put(each.name, each.number);
        default -> slots.merge(each.name, each.number, Integer::sum);
      }
    }
    return new RecoveryReport(List.copyOf(dead.values()), slots);
  }

  @Override
  public void close() {
    waker.close();
    listener.close();
    database.close();
  }
}
