package dev.sluice.bench.scenario;

import dev.sluice.Handler;
import java.time.Duration;

/**
 * What handlers do.
 *
 * @param described for people to read
 */
record Work(String described, Handler<Integer> handler) {
  /** Handlers that return at once. */
  static final Work NONE = new Work("nothing", (payload, job) -> {});

  /** Handlers that sleep. */
  static Work sleeping(Duration time) {
    return new Work(
        "sleeps %d ms".formatted(time.toMillis()), (payload, job) -> Thread.sleep(time.toMillis()));
  }
}
