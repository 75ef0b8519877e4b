package dev.sluice.bench.peers;

import static dev.sluice.bench.peers.Profile.PARALLELISM;
import static org.jobrunr.server.BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.Endpoint;
import java.util.stream.IntStream;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;

/** JobRunr, with job requests instead of analysed lambdas and the shortest poll it accepts. */
final class JobRunrContender implements Contender {
  private static final int JOBS = 3_000;
  private static final int CONNECTIONS = 20;
  private static final int SHORTEST_POLL_SECONDS = 5;

  private final Profile profile =
      Profile.unlimited("jobrunr", Profile.Role.PEER, JOBS)
          .with("version", LibraryVersion.of(BackgroundJobServer.class))
          .with("workers", PARALLELISM)
          .with("poll", SHORTEST_POLL_SECONDS + " s, the shortest allowed")
          .with("connections", CONNECTIONS);

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public Timing run(Endpoint database, Workload workload) throws Exception {
    JobLog log = new JobLog(workload, CpuClock.of(database));
    JsonMapper json = new JacksonJsonMapper();
    try (HikariDataSource pool = PeerDatabase.pool(database, CONNECTIONS)) {
      StorageProvider storage = new PostgresStorageProvider(pool);
      storage.setJobMapper(new JobMapper(json));
      Stopwatch submitting = new Stopwatch();
      new JobRequestScheduler(storage)
          .enqueue(IntStream.range(0, workload.jobs()).mapToObj(NoOp::new));
      log.submitted(submitting.seconds());
      BackgroundJobServer server =
          new BackgroundJobServer(
              storage,
              json,
              new OneHandler(new NoOpHandler(log)),
              usingStandardBackgroundJobServerConfiguration()
                  .andWorkerCount(PARALLELISM)
                  .andPollIntervalInSeconds(SHORTEST_POLL_SECONDS));
      server.start();
      try {
        log.await();
      } finally {
        server.stop();
        storage.close();
      }
      return log.timing();
    }
  }

  /** The job that does nothing, as JobRunr stores it. */
  public record NoOp(int number) implements JobRequest {
    @Override
    public Class<NoOpHandler> getJobRequestHandler() {
      return NoOpHandler.class;
    }
  }

  /** What runs it; public, for JobRunr calls it by reflection. */
  public record NoOpHandler(JobLog log) implements JobRequestHandler<NoOp> {
    @Override
    public void run(NoOp job) throws Exception {
      log.handle(job.number());
    }
  }

  /** Gives out the only handler there is. */
  private record OneHandler(NoOpHandler handler) implements JobActivator {
    @Override
    public <T> T activateJob(Class<T> type) {
      return type.cast(handler);
    }
  }
}
