package dev.sluice.bench.throttle;

import dev.sluice.throttle.Throttle;
import dev.sluice.throttle.micrometer.ThrottleMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Enters and leaves again, with nothing to do inside; JMH runs it in a process of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ThrottleBenchmark {
  private static final int LIMIT = 8;

  private final Semaphore semaphore = new Semaphore(LIMIT, true);
  private final Throttle throttle = Throttle.of("bare", LIMIT);
  private final Throttle metered = Throttle.of("metered", LIMIT);
  private int counter;

  /** Binds one of the throttles to a registry. */
  public ThrottleBenchmark() {
    new ThrottleMetrics(List.of(metered)).bindTo(new SimpleMeterRegistry());
  }

  /** What everybody has without us. */
  @Benchmark
  public int semaphore() throws InterruptedException {
    semaphore.acquire();
    try {
      return ++counter;
    } finally {
      semaphore.release();
    }
  }

  /** The usual way through a throttle. */
  @Benchmark
  public int run() throws InterruptedException {
    return throttle.run("work", () -> ++counter);
  }

  /** The other way. */
  @Benchmark
  public int permit() throws InterruptedException {
    try (Throttle.Permit permit = throttle.acquire("work")) {
      return ++counter;
    }
  }

  /** The usual way, with every time recorded by Micrometer. */
  @Benchmark
  public int runMetered() throws InterruptedException {
    return metered.run("work", () -> ++counter);
  }
}
