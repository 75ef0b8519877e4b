package dev.sluice.metrics;

import dev.sluice.AlertThresholds;
import dev.sluice.Sluice;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows what is in a store as gauges: slots and limits of groups, queues, workers and alerts. A
 * thread of its own looks every few seconds, less often where a look takes long: it spends a tenth
 * of its time at most. Who scrapes gets what it saw last and never waits for the store. When the
 * store cannot be read the gauges are gone until it can: no figure is better than an old one.
 * Thread-safe.
 */
public final class StoreGauges implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StoreGauges.class);
  private static final Duration SHORTEST_SAMPLING = Duration.ofSeconds(1);

  /** How much longer than a look the pause after it is at least. */
  private static final int RARER = 9;

  private final List<Sample> samples;
  private final Duration sampling;
  private final ScheduledExecutorService sampler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "sluice-gauges");
            thread.setDaemon(true);
            return thread;
          });
  private boolean failing;

  private StoreGauges(List<Sample> samples, Duration sampling) {
    this.samples = samples;
    this.sampling = sampling;
  }

  static StoreGauges start(
      MeterRegistry registry,
      Sluice sluice,
      int names,
      Duration sampling,
      AlertThresholds thresholds) {
    Clock clock = Clock.systemUTC();
    WorkerGauges workers = new WorkerGauges(registry, sluice.workers(), clock);
    QueueGauges queues = new QueueGauges(registry, sluice.queues(), names, workers::storeTime);
    StoreGauges gauges =
        new StoreGauges(
            List.of(
                workers,
                new GroupGauges(registry, sluice.concurrency(), names),
                queues,
                new AlertGauges(registry, workers, queues, sluice.concurrency(), thresholds)),
            sampling.compareTo(SHORTEST_SAMPLING) < 0 ? SHORTEST_SAMPLING : sampling);
    gauges.sampler.execute(gauges::sampleAndGoOn);
    return gauges;
  }

  private void sampleAndGoOn() {
    long begun = System.nanoTime();
    sample();
    Duration pause = pauseAfter(Duration.ofNanos(System.nanoTime() - begun), sampling);
    try {
      sampler.schedule(this::sampleAndGoOn, pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("The store is not watched any more.");
    }
  }

  static Duration pauseAfter(Duration look, Duration sampling) {
    Duration rarer = look.multipliedBy(RARER);
    return rarer.compareTo(sampling) > 0 ? rarer : sampling;
  }

  /** A part of the gauges. */
  interface Sample {
    /** Reads the store and shows what is there now. */
    void take();

    /** Shows nothing. */
    void clear();
  }

  private void sample() {
    try {
      samples.forEach(Sample::take);
      if (failing) {
        failing = false;
        log.info("Reading the store for metrics works again.");
      }
    } catch (RuntimeException | LinkageError e) {
      samples.forEach(Sample::clear);
      if (!failing && !sampler.isShutdown()) {
        failing = true;
        log.warn("Reading the store for metrics fails; trying again until it works.", e);
      }
    }
  }

  /** Stops looking, and removes the gauges. */
  @Override
  public void close() {
    sampler.shutdownNow();
    try {
      sampler.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    samples.forEach(Sample::clear);
  }
}
