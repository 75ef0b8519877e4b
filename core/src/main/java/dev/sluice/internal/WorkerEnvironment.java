package dev.sluice.internal;

import dev.sluice.spi.JobStore;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * What the parts of one worker share.
 *
 * @param store where jobs come from
 * @param json how payloads and results are read and written
 * @param settings what the builder was told
 * @param tasks the tasks with their handlers, by name
 * @param clock the time that passes, suspensions included
 * @param random numbers in [0, 1), for jitter
 */
record WorkerEnvironment(
    JobStore store,
    Json json,
    WorkerSettings settings,
    Map<String, RegisteredTask<?>> tasks,
    ElapsedClock clock,
    DoubleSupplier random) {

  long now() {
    return clock.nanos();
  }

  /** The length give or take a fifth, so that workers do not act in step. */
  long jittered(long length) {
    return (long) (length * (0.8 + 0.4 * random.getAsDouble()));
  }
}
