package dev.sluice.bench.scenario;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** When the handlers of some jobs started, by the jobs' payloads. Thread-safe. */
final class Arrivals {
  private static final int LONGEST_WAIT_SECONDS = 60;

  private final AtomicLongArray started;
  private final long[] sent;
  private final CountDownLatch missing;

  Arrivals(int jobs) {
    started = new AtomicLongArray(jobs);
    sent = new long[jobs];
    missing = new CountDownLatch(jobs);
  }

  /** How many jobs are awaited; their payloads count up from 0. */
  int jobs() {
    return sent.length;
  }

  /** The job of this payload was to be submitted at this moment. */
  void sent(int payload, long nanos) {
    sent[payload] = nanos;
  }

  /** The handler of this payload's job has started. */
  void started(int payload) {
    if (started.compareAndSet(payload, 0, System.nanoTime())) {
      missing.countDown();
    }
  }

  /** Waits for the handlers of all jobs, and says how long after the submits they started. */
  Distribution await() throws InterruptedException {
    if (!missing.await(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(missing.getCount() + " jobs did not start within a minute");
    }
    long[] nanos = new long[sent.length];
    for (int job = 0; job < nanos.length; job++) {
      nanos[job] = started.get(job) - sent[job];
    }
    return Distribution.ofNanos(nanos);
  }
}
