package dev.sluice.server.security;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A token bucket for each client: so many at once, and so many a second in the long run.
 * Thread-safe. Remembers a bounded number of clients, the latest.
 */
public final class RateBound {
  private static final int MOST_CLIENTS = 10_000;
  private static final double SECOND = 1e9;

  private static final class Bucket {
    double level;
    long at;
  }

  private final double burst;
  private final double perSecond;
  private final LongSupplier nanos;
  private final Map<String, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
          return size() > MOST_CLIENTS;
        }
      };

  /** A bound by this clock, in nanoseconds. */
  public RateBound(double burst, double perSecond, LongSupplier nanos) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.nanos = nanos;
  }

  /** Takes one; 0 if it was there, else how many seconds to wait for one. */
  public synchronized int take(String client) {
    Bucket bucket = fill(client);
    if (bucket.level < 1) {
      return secondsUntilOne(bucket);
    }
    bucket.level -= 1;
    return 0;
  }

  private int secondsUntilOne(Bucket bucket) {
    return (int) Math.max(1, Math.ceil((1 - bucket.level) / perSecond));
  }

  private Bucket fill(String client) {
    long now = nanos.getAsLong();
    Bucket bucket = buckets.get(client);
    if (bucket == null) {
      bucket = new Bucket();
      bucket.level = burst;
      buckets.put(client, bucket);
    } else {
      bucket.level = Math.min(burst, bucket.level + (now - bucket.at) / SECOND * perSecond);
    }
    bucket.at = now;
    return bucket;
  }
}
