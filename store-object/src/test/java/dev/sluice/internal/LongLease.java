package dev.sluice.internal;

import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.spi.ForwardingJobStore;
import dev.sluice.spi.Tracing;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** What workers of tests work in that have a lease of an hour, so that time alone does nothing. */
final class LongLease {
  static final Duration LENGTH = Duration.ofHours(1);

  private LongLease() {}

  /**
   * The environment of such a worker.
   *
   * @param sessions what the worker has in place of a session of the store
   */
  static WorkerEnvironment environment(
      Sluice sluice,
      UnaryOperator<WorkerSession> sessions,
      ElapsedClock clock,
      Map<String, RegisteredTask<?>> tasks) {
    return new WorkerEnvironment(
        new ForwardingJobStore(sluice.store()) {
          @Override
          public WorkerSession openSession(WorkerRegistration registration) {
            return sessions.apply(super.openSession(registration));
          }
        },
        new Json(sluice.mapper(), sluice.maxPayloadBytes()),
        new WorkerSettings(
            "patient",
            Set.of(SubmitOptions.DEFAULT_QUEUE),
            4,
            Map.of(),
            new WorkerSettings.Timing(
                LENGTH, Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofDays(1)),
            new WorkerSettings.Reporting(List.of(), Tracing.NONE, Map.of())),
        tasks,
        clock,
        () -> 0.5);
  }
}
