package dev.sluice.bench.scenario;

import dev.sluice.JobContext;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerListener;
import dev.sluice.bench.server.Venue;
import dev.sluice.object.RequestKind;
import dev.sluice.object.RequestMeter;
import dev.sluice.object.RequestReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Counts what a job costs that has a store to itself: from its submit until its segment is deleted,
 * which is the last that is done for it. Whatever its worker asks for meanwhile, polls included, is
 * counted with it.
 */
final class LoneJobs {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(5);

  private LoneJobs() {}

  /** Runs some jobs, one after the other. */
  static List<Usage> count(Venue venue, Task<Integer> task, int jobs) throws InterruptedException {
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
      for (int job = 0; job <= jobs; job++) {
        RequestReport before = meter.report();
        sluice.submit(task, job);
        if (!done.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
          throw new IllegalStateException("A lone job did not end within half a minute");
        }
        RequestReport taken = awaitDeletion(meter, before);
        // The first finds an empty store, and a worker that has just signed on.
        if (job > 0) {
          counted.add(new Usage(taken, 1));
        }
      }
    }
    return counted;
  }

  private static RequestReport awaitDeletion(RequestMeter meter, RequestReport before)
      throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      RequestReport taken = meter.report().since(before);
      if (taken.of(RequestKind.DELETE).requests() > 0) {
        return taken;
      }
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("The segment of a job that ended was not deleted");
      }
      TimeUnit.NANOSECONDS.sleep(LOOK_INTERVAL.toNanos());
    }
  }
}
