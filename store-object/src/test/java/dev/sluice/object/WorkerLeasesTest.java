package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.object.WorkerLeases.Held;
import dev.sluice.spi.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a lease lasts is told by the clock of the worker that relies on it. */
class WorkerLeasesTest {
  private static final Duration SHORT = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(10);

  private Instant wallClock = Instant.parse("2026-01-01T00:00:00Z");
  private long nanos;
  private final MemoryObjectStore memory =
      MemoryObjectStore.open(UUID.randomUUID().toString(), () -> wallClock);
  private final StoreEnvironment environment =
      new StoreEnvironment(
          () -> nanos,
          new Random(1),
          pause -> {},
          CompletableFuture::get,
          Runnable::run,
          Runnable::run,
          Runnable::run,
          Runnable::run);
  private final StoreClock clock = new StoreClock(environment.nanoTime());
  private final ObjectStore store = new TimekeepingObjectStore(memory, clock);
  private final WorkerLeases leases =
      new WorkerLeases(store, environment, clock, new DamagedObjects(environment.nanoTime()));

  WorkerLeasesTest() {
    StoreFormat.agree(store, environment, OptionalInt.empty());
  }

  @AfterEach
  void close() {
    memory.close();
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    wallClock = wallClock.plus(time);
  }

  private WorkerLeases observer() {
    return new WorkerLeases(store, environment, clock, new DamagedObjects(environment.nanoTime()));
  }

  private Held open(Duration lease) {
    return leases.open(
        "w", new WorkerRegistration("worker", Set.of("q"), Set.of("t"), Map.of(), lease));
  }

  private Duration onRecord() {
    return leases.find("w").orElseThrow().lease();
  }

  @Test
  void storeClockSetForward_earlierPromiseIsKept() {
    Held lease = open(LONG);
    pass(Duration.ofSeconds(10));
    wallClock = wallClock.plus(Duration.ofMinutes(9));

    lease.renew(SHORT);

    assertThat(onRecord()).isGreaterThanOrEqualTo(LONG.minusSeconds(10));
    pass(LONG.minusSeconds(11));
    assertThat(lease.isOverdue()).isFalse();
  }

  @Test
  void workersThatAreGone_areForgotten() {
    AtomicInteger reads = new AtomicInteger();
    WorkerLeases observer =
        new WorkerLeases(
            new ForwardingObjectStore(store) {
              @Override
              public Optional<StoredObject> get(String key) {
                reads.incrementAndGet();
                return super.get(key);
              }
            },
            environment,
            clock,
            new DamagedObjects(environment.nanoTime()));
    open(LONG);
    observer.fenceSilent(Set.of("w"), Set.of());
    assertThat(observer.all()).hasSize(1);
    leases.remove("w");

    observer.fenceSilent(Set.of(), Set.of());
    reads.set(0);
    assertThat(observer.all()).isEmpty();
    assertThat(reads).as("nobody left to ask about").hasValue(0);
  }

  /** A look that came at its usual time found a dead worker up to that much later. */
  @Test
  void silentWorker_isFencedAtTheLookThatIsAskedFor() {
    open(SHORT);
    pass(Duration.ofSeconds(20));
    WorkerLeases observer = observer();
    assertThat(observer.fenceSilent(Set.of("w"), Set.of())).isEmpty();
    pass(Duration.ofSeconds(10));
    assertThat(observer.fenceSilent(Set.of("w"), Set.of())).isEmpty();

    Duration left = observer.firstEnd().orElseThrow();

    assertThat(left).isBetween(Duration.ofSeconds(20), Duration.ofMillis(20_002));
    pass(left.minusMillis(1));
    assertThat(observer.fenceSilent(Set.of("w"), Set.of())).isEmpty();
    pass(Duration.ofMillis(1));
    assertThat(observer.fenceSilent(Set.of("w"), Set.of())).containsExactly("w");
  }

  /** An observer fenced it and died; the next one waited for a whole lease more. */
  @Test
  void workerFencedByAnotherObserver_isDeadAtTheFirstLook() {
    open(SHORT);
    WorkerLeases first = observer();
    WorkerLeases second = observer();
    first.fenceSilent(Set.of("w"), Set.of());
    second.fenceSilent(Set.of("w"), Set.of());
    pass(SHORT.plusMillis(1));
    assertThat(first.fenceSilent(Set.of("w"), Set.of())).containsExactly("w");

    assertThat(second.fenceSilent(Set.of("w"), Set.of())).containsExactly("w");
    assertThat(observer().fenceSilent(Set.of("w"), Set.of())).containsExactly("w");
    assertThat(first.fenceSilent(Set.of("w"), Set.of())).containsExactly("w");
    assertThat(second.firstEnd()).as("nothing more to wait for").isEmpty();
  }

  /** Then a look at the usual time comes before that, and there is none more. */
  @Test
  void workerThatRenews_isAlwaysMostOfALeaseAway() {
    Held lease = open(SHORT);
    for (int i = 0; i < 20; i++) {
      if (i % 2 == 0) {
        lease.renew(SHORT);
      }
      leases.fenceSilent(Set.of("w"), Set.of());
      assertThat(leases.firstEnd().orElseThrow()).isGreaterThan(Duration.ofSeconds(20));
      pass(Duration.ofSeconds(5));
    }
  }

  @Test
  void storeClockSetBack_leaseIsNoLongerForThat() {
    Held lease = open(SHORT);
    pass(Duration.ofSeconds(10));
    wallClock = wallClock.minus(Duration.ofHours(2));

    lease.renew(SHORT);

    assertThat(onRecord()).isBetween(SHORT, SHORT.plusSeconds(1));
  }
}
