package dev.sluice.server.api;

import dev.sluice.server.view.Problem;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets only some of those calls run at once that make the store search, so that they never take all
 * threads of the server and all connections to the store. Thread-safe.
 */
public final class CostlyCalls {
  private static final int AT_ONCE = 16;
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private final Semaphore permits;

  /** As many at once as is usual. */
  public CostlyCalls() {
    this(AT_ONCE);
  }

  CostlyCalls(int atOnce) {
    permits = new Semaphore(atOnce);
  }

  /** The same operation, bounded. */
  Operation bound(Operation operation) {
    return call -> {
      if (!permits.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new Problem(503, "Too many searches are under way; try again.")
            .header("Retry-After", "1");
      }
      try {
        return operation.run(call);
      } finally {
        permits.release();
      }
    };
  }
}
