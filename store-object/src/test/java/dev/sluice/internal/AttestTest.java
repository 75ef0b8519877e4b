package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.object.ForwardingWorkerSession;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a worker lists decides what the audit takes from it. */
class AttestTest {
  private final AtomicInteger lists = new AtomicInteger();

  /** It would list nothing while its handlers, interrupted a moment ago, still hold slots. */
  @Test
  void tenureThatIsOver_listsNothing() {
    try (Sluice sluice = Sluice.open("memory:" + UUID.randomUUID())) {
      WorkerEnvironment environment =
          LongLease.environment(sluice, Counting::new, ElapsedClock.SYSTEM, Map.of());
      WorkerSession session =
          environment
              .store()
              .openSession(
                  new WorkerRegistration(
                      "fenced", Set.of("default"), Set.of(), Map.of(), LongLease.LENGTH));
      Lease lease = new Lease(LongLease.LENGTH, environment.now(), environment.clock()::nanos);
      Tenure tenure = new Tenure(Workshop.of(environment), session, lease, 0);

      tenure.attest();
      assertThat(lists).as("lists of a tenure that lasts").hasValue(1);
      tenure.fence("its lease could not be renewed");
      tenure.attest();

      assertThat(lists).as("lists after its end").hasValue(1);
    }
  }

  private final class Counting extends ForwardingWorkerSession {
    Counting(WorkerSession session) {
      super(session);
    }

    @Override
    public void attest(Map<UUID, Long> claims, List<HeldSlot> slots) {
      lists.incrementAndGet();
    }
  }
}
