package dev.sluice.bench.peers;

import static dev.sluice.bench.peers.Profile.PARALLELISM;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.Endpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * db-scheduler, polling by lock-and-fetch with the limits its documentation names for throughput.
 */
final class DbSchedulerContender implements Contender {
  private static final int JOBS = 10_000;
  private static final int CONNECTIONS = 20;
  private static final int SUBMIT_BATCH = 1_000;

  /** Fractions of the threads: fetch when fewer executions than this are left ... */
  private static final double LOWER_LIMIT = 1.0;

  /** ... until there are this many. */
  private static final double UPPER_LIMIT = 4.0;

  private final Profile profile =
      Profile.unlimited("db-scheduler", Profile.Role.PEER, JOBS)
          .with("version", LibraryVersion.of(Scheduler.class))
          .with("threads", PARALLELISM)
          .with(
              "polling",
              "lock and fetch, " + LOWER_LIMIT + " to " + UPPER_LIMIT + " of the threads")
          .with("connections", CONNECTIONS);

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public Timing run(Endpoint database, Workload workload) throws Exception {
    PeerDatabase.install(database, "db-scheduler.sql");
    JobLog log = new JobLog(workload, CpuClock.of(database));
    OneTimeTask<Void> task =
        Tasks.oneTime("no_op").execute((instance, context) -> handle(log, instance.getId()));
    try (HikariDataSource pool = PeerDatabase.pool(database, CONNECTIONS)) {
      Scheduler scheduler =
          Scheduler.create(pool, task)
              .threads(PARALLELISM)
              .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
              .shutdownMaxWait(Duration.ofSeconds(5))
              .build();
      log.submitted(submit(scheduler, task, workload.jobs()));
      scheduler.start();
      try {
        log.await();
      } finally {
        scheduler.stop();
      }
      return log.timing();
    }
  }

  private static double submit(Scheduler scheduler, OneTimeTask<Void> task, int jobs) {
    Instant now = Instant.now();
    Stopwatch submitting = new Stopwatch();
    for (int from = 0; from < jobs; from += SUBMIT_BATCH) {
      List<TaskInstance<?>> batch =
          IntStream.range(from, Math.min(jobs, from + SUBMIT_BATCH))
              .<TaskInstance<?>>mapToObj(job -> task.instance(Integer.toString(job)))
              .toList();
      scheduler.scheduleBatch(batch, now);
    }
    return submitting.seconds();
  }

  private static void handle(JobLog log, String job) {
    try {
      log.handle(Integer.parseInt(job));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
