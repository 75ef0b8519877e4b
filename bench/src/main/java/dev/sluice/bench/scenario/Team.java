package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.WorkerListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The workers of a setting, each with a store of its own, as separate processes would have, unless
 * the setting has them together. The stores stay open; workers come and go with each round.
 */
final class Team implements AutoCloseable {
  private final Setting setting;
  private final List<Sluice> stores = new ArrayList<>();

  Team(String url, Setting setting) {
    this.setting = setting;
    int count = setting.crew().together() ? 1 : setting.crew().workers();
    for (int store = 0; store < count; store++) {
      stores.add(Sluice.open(url));
    }
  }

  /** Starts the workers, whose jobs are told to a listener. */
  Shift start(WorkerListener listener) {
    Shift shift = new Shift();
    for (int worker = 0; worker < setting.crew().workers(); worker++) {
      shift.workers.push(start(worker, listener));
    }
    return shift;
  }

  private Worker start(int index, WorkerListener listener) {
    Setting.Crew crew = setting.crew();
    int threads =
        crew.parallelism() / crew.workers() + (index < crew.parallelism() % crew.workers() ? 1 : 0);
    WorkerBuilder builder =
        stores.get(index % stores.size()).worker().concurrency(threads).listener(listener);
    setting.lots().forEach(lot -> builder.handle(lot.task(), crew.work().handler()));
    return builder.name("bench-" + index).start();
  }

  @Override
  public void close() {
    // All at once: each waits for its listener, which looks up only now and then.
    CompletableFuture.allOf(
            stores.stream()
                .map(store -> CompletableFuture.runAsync(store::close, Team::onThreadOfItsOwn))
                .toArray(CompletableFuture[]::new))
        .join();
    stores.clear();
  }

  private static void onThreadOfItsOwn(Runnable action) {
    new Thread(action).start();
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
