package dev.sluice.bench.scenario;

import dev.sluice.JobContext;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerListener;
import dev.sluice.bench.server.S3Venue;
import dev.sluice.object.RequestMeter;
import dev.sluice.object.RequestReport;
import dev.sluice.object.state.SegmentKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Counts what a job costs that has a store to itself: from its submit until its segment is deleted.
 * Whatever its worker asks for meanwhile, polls included, is counted with it. What is done for a
 * job later than that is counted with the next one, so that nothing is left out in all.
 */
final class LoneJobs {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(5);

  private LoneJobs() {}

  /** Runs some jobs, one after the other. */
  static List<Usage> count(S3Venue venue, Task<Integer> task, int jobs)
      throws InterruptedException {
    String url = MeteredStoreProvider.metered(venue.url());
    RequestMeter meter = MeteredStoreProvider.meter(url);
    Semaphore done = new Semaphore(0);
    WorkerListener listener =
        new WorkerListener() {
          @Override
          public void onSuccess(JobContext job, Duration took) {
            done.release();
          }
        };
    List<Usage> counted = new ArrayList<>();
    try (Sluice sluice = Sluice.open(url);
        Worker worker =
            sluice.worker().handle(task, (payload, job) -> {}).listener(listener).start()) {
      RequestReport before = meter.report();
      for (int job = 0; job <= jobs; job++) {
        sluice.submit(task, job);
        if (!done.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
          throw new IllegalStateException("A lone job did not end within half a minute");
        }
        awaitDeletion(venue);
        RequestReport after = meter.report();
        // The first finds an empty store, and a worker that has just signed on.
        if (job > 0) {
          counted.add(new Usage(after.since(before), 1));
        }
        before = after;
      }
    }
    return counted;
  }

  /** Other objects are deleted too, at any time: that of a slot some seconds after its job. */
  private static void awaitDeletion(S3Venue venue) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (venue.hasObjectBelow(SegmentKeys.INBOX)) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("The segment of a job that ended was not deleted");
      }
      TimeUnit.NANOSECONDS.sleep(LOOK_INTERVAL.toNanos());
    }
  }
}
