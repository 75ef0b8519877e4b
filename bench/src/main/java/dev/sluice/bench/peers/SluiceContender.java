package dev.sluice.bench.peers;

import static dev.sluice.bench.peers.Profile.PARALLELISM;

import dev.sluice.JobContext;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerListener;
import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.Endpoint;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Ours: four workers, each with a store of its own as in a process of its own. Measured more
 * strictly than the peers: until the store has accepted the last completion.
 */
final class SluiceContender implements Contender {
  private static final int WORKERS = 4;
  private static final int JOBS = 50_000;

  private final Profile profile;

  private SluiceContender(Profile profile) {
    this.profile =
        profile
            .with("version", LibraryVersion.of(Sluice.class))
            .with("workers", WORKERS)
            .with("concurrency of each", PARALLELISM / WORKERS)
            .with("measured until", "the store accepted the last completion");
  }

  static SluiceContender unlimited() {
    return new SluiceContender(Profile.unlimited("sluice", Profile.Role.SLUICE, JOBS));
  }

  static SluiceContender limited() {
    return new SluiceContender(Profile.limited("sluice", Profile.Role.SLUICE, JOBS));
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public Timing run(Endpoint database, Workload workload) throws Exception {
    Task.Builder<Integer> builder = Task.named("no_op", Integer.class);
    profile.limit().ifPresent(builder::maxConcurrent);
    Task<Integer> task = builder.build();
    JobLog log = new JobLog(workload, CpuClock.of(database));
    Acceptances acceptances = new Acceptances(workload.jobs());
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try (Sluice submitter = Sluice.open(database.url())) {
      Stopwatch submitting = new Stopwatch();
      submitter.submitAll(task, IntStream.range(0, workload.jobs()).boxed().toList());
      log.submitted(submitting.seconds());
      for (int i = 0; i < WORKERS; i++) {
        opened.push(Sluice.open(database.url()));
      }
      for (AutoCloseable sluice : opened.toArray(AutoCloseable[]::new)) {
        opened.push(startWorker((Sluice) sluice, task, log, acceptances));
      }
      acceptances.all.await();
      log.await();
      return log.timingUntil(acceptances.last);
    } finally {
      while (!opened.isEmpty()) {
        opened.pop().close();
      }
    }
  }

  private static Worker startWorker(
      Sluice sluice, Task<Integer> task, JobLog log, WorkerListener listener) {
    return sluice
        .worker()
        .handle(task, (job, context) -> log.handle(job))
        .concurrency(PARALLELISM / WORKERS)
        .listener(listener)
        .start();
  }

  /** Counts what the store accepted, and keeps when that was. */
  private static final class Acceptances implements WorkerListener {
    private final CountDownLatch all;
    private volatile long last;

    private Acceptances(int jobs) {
      all = new CountDownLatch(jobs);
    }

    @Override
    public void onSuccess(JobContext job, Duration took) {
      last = System.nanoTime();
      all.countDown();
    }
  }
}
