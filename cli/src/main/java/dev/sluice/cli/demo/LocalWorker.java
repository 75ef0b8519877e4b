package dev.sluice.cli.demo;

import dev.sluice.Group;
import dev.sluice.Sluice;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.cli.demo.Tally.Numbers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A worker of the demo in this process: handlers that sleep, and keep their own record of when they
 * started and ended.
 */
public final class LocalWorker implements DemoWorker {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final Tally tally = new Tally();
  private final Path events;
  private final EventFile file;
  private final Worker worker;
  private volatile long goneAt;

  private LocalWorker(Sluice sluice, String queue, Path events) throws IOException {
    this.events = events;
    this.file = EventFile.create(events);
    WorkerBuilder builder = sluice.worker().queues(queue).lease(LEASE).grace(GRACE);
    for (DemoTask task : DemoTask.ALL) {
      builder.handle(task.task(), (payload, context) -> work(task, task.groupOf(payload)));
    }
    this.worker = builder.start();
  }

  /** Starts one that serves this queue and records starts and ends in this file. */
  public static LocalWorker start(Sluice sluice, String queue, Path events) throws IOException {
    return new LocalWorker(sluice, queue, events);
  }

  private void work(DemoTask task, Group group) throws IOException, InterruptedException {
    file.started(group);
    tally.started(group);
    try {
      Thread.sleep(
          ThreadLocalRandom.current().nextInt(task.work().shortest(), task.work().longest() + 1));
    } finally {
      tally.ended(group);
      file.ended(group);
    }
  }

  /** Its numbers as a line, for another process to read. */
  public String line() {
    return tally.line();
  }

  @Override
  public boolean awaitReady() {
    return true;
  }

  @Override
  public boolean isAlive() {
    return goneAt == 0;
  }

  @Override
  public Map<Group, Numbers> numbers() {
    return Tally.read(tally.line());
  }

  @Override
  public void close() {
    worker.close();
    goneAt = System.nanoTime();
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException("The demo's record could not be written", e);
    }
  }

  @Override
  public Peaks.Record record() throws IOException {
    return new Peaks.Record(EventFile.read(events), goneAt == 0 ? System.nanoTime() : goneAt);
  }
}
