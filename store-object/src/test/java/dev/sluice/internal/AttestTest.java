package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.spi.Tracing;
import dev.sluice.spi.WorkerSession;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a worker lists decides what the audit takes from it. */
class AttestTest {
  private static final Duration LEASE = Duration.ofHours(1);

  private final AtomicInteger lists = new AtomicInteger();

  /** It would list nothing while its handlers, interrupted a moment ago, still hold slots. */
  @Test
  void tenureThatIsOver_listsNothing() {
    try (Sluice sluice = Sluice.open("memory:" + UUID.randomUUID())) {
      WorkerEnvironment environment =
          new WorkerEnvironment(
              sluice.store(),
              new Json(sluice.mapper(), sluice.maxPayloadBytes()),
              new WorkerSettings(
                  "fenced",
                  Set.of(SubmitOptions.DEFAULT_QUEUE),
                  1,
                  Map.of(),
                  new WorkerSettings.Timing(
                      LEASE, Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofDays(1)),
                  new WorkerSettings.Reporting(List.of(), Tracing.NONE, Map.of())),
              Map.of(),
              ElapsedClock.SYSTEM,
              () -> 0.5);
      Lease lease = new Lease(LEASE, environment.now(), environment.clock()::nanos);
      Tenure tenure = new Tenure(Workshop.of(environment), session(), lease, 0);

      tenure.attest();
      assertThat(lists).as("lists of a tenure that lasts").hasValue(1);
      tenure.fence("its lease could not be renewed");
      tenure.attest();

      assertThat(lists).as("lists after its end").hasValue(1);
    }
  }

  private WorkerSession session() {
    return (WorkerSession)
        Proxy.newProxyInstance(
            WorkerSession.class.getClassLoader(),
            new Class<?>[] {WorkerSession.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("attest")) {
                lists.incrementAndGet();
              }
              return method.getName().equals("workerId") ? "fenced" : null;
            });
  }
}
