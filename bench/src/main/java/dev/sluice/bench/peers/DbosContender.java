package dev.sluice.bench.peers;

import static dev.sluice.bench.peers.Profile.PARALLELISM;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;
import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** DBOS Transact: a workflow without steps on a queue, polled far more often than by default. */
final class DbosContender implements Contender {
  private static final int JOBS = 1_000;
  private static final int CONNECTIONS = 20;
  private static final Duration POLL = Duration.ofMillis(10);
  private static final String QUEUE = "no_ops";
  private static final String NO_QUEUE = "none";
  private static final String UNFINISHED =
      "SELECT 1 FROM dbos.workflow_status WHERE status <> 'SUCCESS' LIMIT 1";

  private final Profile profile;

  private DbosContender(Profile profile) {
    this.profile =
        profile
            .with("version", LibraryVersion.of(DBOS.class))
            .with("worker concurrency", queue(profile).workerConcurrency())
            .with("poll", POLL.toMillis() + " ms")
            .with("connections", CONNECTIONS);
  }

  static DbosContender unlimited() {
    return new DbosContender(Profile.unlimited("dbos", Profile.Role.PEER, JOBS));
  }

  static DbosContender limited() {
    return new DbosContender(
        Profile.limited("dbos", Profile.Role.PEER, JOBS).with("queue concurrency", Profile.LIMIT));
  }

  private static Queue queue(Profile profile) {
    Queue queue = new Queue(QUEUE).withPollingInterval(POLL);
    return profile.limit().isPresent()
        ? queue
            .withConcurrency(profile.limit().getAsInt())
            .withWorkerConcurrency(profile.limit().getAsInt())
        : queue.withWorkerConcurrency(PARALLELISM);
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public Timing run(Endpoint database, Workload workload) throws Exception {
    JobLog log = new JobLog(workload, CpuClock.of(database));
    try (HikariDataSource pool = PeerDatabase.pool(database, CONNECTIONS)) {
      log.submitted(submit(pool, log, workload.jobs()));
      try (DBOS dbos = new DBOS(config(pool).withListenQueue(QUEUE))) {
        dbos.registerQueue(queue(profile));
        dbos.registerProxy(NoOp.class, new LoggedNoOp(log));
        dbos.launch();
        log.await();
        awaitOutcomes(pool);
      }
      return log.timing();
    }
  }

  /** Enqueues from an instance that serves another queue, so that nothing runs yet. */
  private double submit(DataSource pool, JobLog log, int jobs) throws InterruptedException {
    try (DBOS dbos = new DBOS(config(pool).withListenQueue(NO_QUEUE))) {
      dbos.registerQueues(queue(profile), new Queue(NO_QUEUE));
      NoOp noOp = dbos.registerProxy(NoOp.class, new LoggedNoOp(log));
      dbos.launch();
      StartWorkflowOptions options = new StartWorkflowOptions().withQueue(QUEUE);
      Stopwatch submitting = new Stopwatch();
      for (int i = 0; i < jobs; i++) {
        int job = i;
        dbos.startWorkflow(() -> noOp.run(job), options);
      }
      return submitting.seconds();
    }
  }

  /** Lets the last workflows be recorded: closing waits for none, and they would complain. */
  private static void awaitOutcomes(DataSource pool) throws SQLException, InterruptedException {
    try (Connection connection = pool.getConnection();
        PreparedStatement unfinished = connection.prepareStatement(UNFINISHED)) {
      while (true) {
        try (ResultSet row = unfinished.executeQuery()) {
          if (!row.next()) {
            return;
          }
        }
        Thread.sleep(POLL.toMillis());
      }
    }
  }

  private static DBOSConfig config(DataSource pool) {
    return DBOSConfig.defaults("sluice-bench").withDataSource(pool).withAppVersion("1");
  }

  /** The workflow that does nothing. */
  interface NoOp {
    void run(int job) throws InterruptedException;
  }

  /** What runs it. */
  static final class LoggedNoOp implements NoOp {
    private final JobLog log;

    LoggedNoOp(JobLog log) {
      this.log = log;
    }

    @Override
    @Workflow(name = "no_op")
    public void run(int job) throws InterruptedException {
      log.handle(job);
    }
  }
}
