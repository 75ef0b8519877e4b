package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.LeaseLostException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A worker's renewal had happened and its answer took longer than the lease lasted; meanwhile its
 * own process found it late and fenced it. The answer then made the lease last again, and the
 * worker ran on beside those that its slots were given to.
 */
class OverdueLeaseTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration THIRD = Duration.ofSeconds(10);

  private Instant wallClock = Instant.parse("2026-01-01T00:00:00Z");
  private long nanos;
  private final MemoryObjectStore memory =
      MemoryObjectStore.open(UUID.randomUUID().toString(), () -> wallClock);

  /** What happens between a renewal and its answer, one renewal after the other. */
  private final Queue<Runnable> meanwhile = new ArrayDeque<>();

  private boolean noCommits;
  private final ObjectStore objects =
      new ForwardingObjectStore(memory) {
        @Override
        public PutResult putIfMatch(String key, ObjectBody body, String tag) {
          if (key.endsWith(ControlObject.KEY) && noCommits) {
            throw new StoreUnavailableException("No commits for now.");
          }
          PutResult result = super.putIfMatch(key, body, tag);
          if (key.startsWith(WorkerLeases.PREFIX) && !meanwhile.isEmpty()) {
            meanwhile.remove().run();
          }
          return result;
        }
      };
  private final ObjectJobStore store = open();

  private ObjectJobStore open() {
    StoreEnvironment environment =
        new StoreEnvironment(
            () -> nanos,
            new Random(1),
            pause -> {},
            CompletableFuture::get,
            Runnable::run,
            Runnable::run,
            Runnable::run,
            Runnable::run);
    StoreFormat.agree(objects, environment, OptionalInt.empty());
    return ObjectJobStore.open(objects, 0, environment, () -> {});
  }

  @AfterEach
  void close() {
    memory.close();
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    wallClock = wallClock.plus(time);
  }

  private WorkerSession openSession() {
    return store.openSession(
        new WorkerRegistration("w", Set.of("q"), Set.of("t"), Map.of(), LEASE));
  }

  @Test
  void renewalAnsweredLate_ownProcessGaveTheWorkerUp_leaseIsLost() {
    WorkerSession session = openSession();
    pass(THIRD);
    meanwhile.add(
        () -> {
          pass(THIRD.multipliedBy(2));
          // It fences the worker, and is held up before it gives back what the worker had.
          noCommits = true;
          assertThatThrownBy(store::recover).isInstanceOf(StoreUnavailableException.class);
          noCommits = false;
        });

    assertThatThrownBy(() -> session.renew(LEASE)).isInstanceOf(LeaseLostException.class);
    assertThat(store.recover().deadWorkers()).hasSize(1);
  }

  /** What was seen by one is so for all: an exchange that was refused cannot be allowed later. */
  @Test
  void renewalAnsweredLate_anExchangeFoundTheLeaseOver_leaseIsLost() {
    WorkerSession session = openSession();
    pass(THIRD);
    meanwhile.add(
        () -> {
          pass(THIRD.multipliedBy(2));
          assertThatThrownBy(() -> session.exchange(StoreCalls.ask("t", 1)))
              .isInstanceOf(LeaseLostException.class);
        });

    assertThatThrownBy(() -> session.renew(LEASE)).isInstanceOf(LeaseLostException.class);
    assertThat(store.recover().deadWorkers()).hasSize(1);
  }

  @Test
  void renewalAnsweredInTime_leaseLastsFromWhenItWasSent() {
    WorkerSession session = openSession();
    pass(THIRD);
    meanwhile.add(() -> pass(THIRD));

    session.renew(LEASE);

    assertThat(store.recover().deadWorkers()).isEmpty();
    pass(THIRD);
    assertThat(session.exchange(StoreCalls.ask("t", 1)).jobs()).isEmpty();
  }
}
