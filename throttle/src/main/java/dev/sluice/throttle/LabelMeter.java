package dev.sluice.throttle;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes through a throttle under one label. The gauges move first, then the caller. */
final class LabelMeter {
  private final String label;
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();
  private final LongAdder successes = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private final Stopwatch latency = new Stopwatch();
  private final Stopwatch wait = new Stopwatch();

  LabelMeter(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  void queued() {
    queued.incrementAndGet();
  }

  void leftQueue() {
    queued.decrementAndGet();
  }

  void refused() {
    refusals.increment();
  }

  void started(long waitedNanos) {
    int now = inFlight.incrementAndGet();
    if (now > peak.get()) {
      peak.accumulateAndGet(now, Math::max);
    }
    wait.add(waitedNanos);
  }

  void ended(long nanos, boolean succeeded) {
    inFlight.decrementAndGet();
    (succeeded ? successes : failures).increment();
    latency.add(nanos);
  }

  LabelStats stats() {
    return new LabelStats(
        inFlight.get(),
        peak.get(),
        queued.get(),
        successes.sum(),
        failures.sum(),
        refusals.sum(),
        latency.timing(),
        wait.timing());
  }
}
