package dev.sluice.internal;

import dev.sluice.WorkerBulletin.Lately;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Counts the attempts that ended in the last ten minutes and those of them that failed, a minute at
 * a time: so an attempt is forgotten after nine to ten minutes. Thread-safe.
 */
final class RecentAttempts {
  private static final int MINUTES = 10;
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanoTime;
  private final long began;
  private final long[] attempts = new long[MINUTES];
  private final long[] failures = new long[MINUTES];
  private long minute;

  RecentAttempts(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    began = nanoTime.getAsLong();
  }

  synchronized void add(boolean failed) {
    forget();
    int now = (int) (minute % MINUTES);
    attempts[now]++;
    failures[now] += failed ? 1 : 0;
  }

  synchronized Lately read() {
    forget();
    Lately sum = Lately.NONE;
    for (int i = 0; i < MINUTES; i++) {
      sum = sum.plus(new Lately(attempts[i], failures[i]));
    }
    return sum;
  }

  private void forget() {
    long now = (nanoTime.getAsLong() - began) / MINUTE_NANOS;
    for (int passed = 0; passed < MINUTES && minute + passed < now; passed++) {
      int next = (int) ((minute + passed + 1) % MINUTES);
      attempts[next] = 0;
      failures[next] = 0;
    }
    minute = now;
  }
}
