package dev.sluice.bench.pages;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.util.ArrayList;
import java.util.List;

/** Workers at work, which tell operators what they do; they serve a queue of their own. */
final class LiveWorkers implements AutoCloseable {
  private static final String QUEUE = "live";
  private static final int WORKERS = 2;
  private static final int JOBS = 200;
  private static final Task<Integer> PING =
      Task.named("ping", Integer.class).maxConcurrent(5).build();

  private final Sluice sluice;
  private final List<Worker> workers = new ArrayList<>();

  LiveWorkers(String url) {
    sluice = Sluice.open(url);
    for (int number = 0; number < WORKERS; number++) {
      workers.add(
          sluice.worker().queues(QUEUE).concurrency(10).handle(PING, (n, context) -> {}).start());
    }
    for (int number = 0; number < JOBS; number++) {
      sluice.submit(PING, number, options -> options.queue(QUEUE));
    }
  }

  @Override
  public void close() {
    workers.forEach(Worker::close);
    sluice.close();
  }
}
