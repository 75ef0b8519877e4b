package dev.sluice.bench.scenario;

import dev.sluice.Handler;
import dev.sluice.Sluice;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The workers of a setting, each with a store of its own, as separate processes would have. The
 * stores stay open; workers come and go with each batch.
 */
final class Team implements AutoCloseable {
  private final Setting setting;
  private final List<Sluice> stores = new ArrayList<>();

  Team(String url, Setting setting) {
    this.setting = setting;
    for (int worker = 0; worker < setting.crew().workers(); worker++) {
      stores.add(Sluice.open(url));
    }
  }

  /** Starts the workers. They find something to do once their queue is not paused. */
  Shift start(Stopwatch stopwatch) {
    Shift shift = new Shift();
    for (int worker = 0; worker < stores.size(); worker++) {
      shift.workers.push(start(worker, stopwatch));
    }
    return shift;
  }

  private Worker start(int index, Stopwatch stopwatch) {
    Setting.Crew crew = setting.crew();
    int threads =
        crew.parallelism() / crew.workers() + (index < crew.parallelism() % crew.workers() ? 1 : 0);
    WorkerBuilder builder = stores.get(index).worker().concurrency(threads).listener(stopwatch);
    setting.lots().forEach(lot -> builder.handle(lot.task(), handler()));
    return builder.name("bench-" + index).start();
  }

  private Handler<Integer> handler() {
    long millis = setting.crew().work().toMillis();
    return millis == 0 ? (payload, job) -> {} : (payload, job) -> Thread.sleep(millis);
  }

  @Override
  public void close() {
    stores.forEach(Sluice::close);
    stores.clear();
  }

  /** Workers that are up. */
  static final class Shift implements AutoCloseable {
    private final Deque<Worker> workers = new ArrayDeque<>();

    @Override
    public void close() {
      workers.forEach(Worker::close);
    }
  }
}
