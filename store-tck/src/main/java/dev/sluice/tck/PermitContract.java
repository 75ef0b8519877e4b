package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.LimitReachedException;
import dev.sluice.Permit;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.Sluice;
import dev.sluice.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limiter by itself: slots taken, extended, released and lost outside any job. */
abstract class PermitContract extends ContractTopic {
  private static final Group GROUP = Group.of("stripe");
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration SHORT = Duration.ofMillis(400);

  PermitContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private Optional<SlotLease> take(Group group, Duration lease) {
    return sluice.concurrency().tryAcquire(group, OptionalInt.empty(), "holder", "worker", lease);
  }

  private Optional<SlotLease> take() {
    return take(GROUP, LONG);
  }

  @ParameterizedTest
  @ValueSource(strings = {"stripe", "stripe/acme"})
  void tryAcquire_takesEverySlotAndNoMore(String name) {
    Group group = Group.parse(name);
    sluice.concurrency().setLimit(group, 60);
    List<SlotLease> leases = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      leases.add(take(group, LONG).orElseThrow());
    }

    assertThat(take(group, LONG)).isEmpty();
    Set<Integer> slots = new HashSet<>();
    Set<Long> tokens = new HashSet<>();
    for (SlotLease lease : leases) {
      assertThat(lease.group()).isEqualTo(group);
      assertThat(lease.holderId()).isEqualTo("holder");
      slots.add(lease.slot());
      tokens.add(lease.token());
    }
    assertThat(slots).hasSize(60).allMatch(slot -> slot >= 0 && slot < 60);
    assertThat(tokens).hasSize(60);
    assertThat(active(group)).isEqualTo(60);
    leases.forEach(lease -> assertThat(sluice.concurrency().release(lease)).isTrue());
    assertThat(active(group)).isZero();
  }

  @Test
  void tryAcquire_byManyAtOnce_givesExactlyTheLimit() throws Exception {
    sluice.concurrency().setLimit(GROUP, 5);
    List<Optional<SlotLease>> answers = onThreads(16, this::take);

    assertThat(answers.stream().flatMap(Optional::stream).map(SlotLease::slot))
        .containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    assertThat(active(GROUP)).isEqualTo(5);
  }

  @Test
  void tryAcquire_noLimitAndNoneGiven_isRefused() {
    assertThatThrownBy(this::take)
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("stripe");
  }

  @Test
  void tryAcquire_limitGiven_isSetOnlyWhereNoneExists() {
    for (int slot = 0; slot < 2; slot++) {
      assertThat(
              sluice.concurrency().tryAcquire(GROUP, OptionalInt.of(2), "holder", "worker", LONG))
          .isPresent();
    }
    assertThat(sluice.concurrency().tryAcquire(GROUP, OptionalInt.of(9), "holder", "worker", LONG))
        .isEmpty();
    assertThat(sluice.concurrency().status(GROUP).limit()).hasValue(2);
  }

  /** While the permit is not taken yet, its key looks idle to the job without a number. */
  @Test
  void tryAcquire_limitGiven_besideAJobWithoutANumber_isTaken() throws Exception {
    Task<Integer> task = task("stripe");
    for (int round = 0; round < 20; round++) {
      String name = "k" + round;
      Group key = GROUP.key(name);
      Supplier<Optional<SlotLease>> permit =
          () -> sluice.concurrency().tryAcquire(key, OptionalInt.of(1), "holder", "worker", LONG);
      // Leaves a number behind that is forgotten.
      assertThat(sluice.concurrency().release(permit.get().orElseThrow())).isTrue();
      AtomicInteger threads = new AtomicInteger();
      onThreads(
          2,
          () -> {
            if (threads.getAndIncrement() == 0) {
              submit(task, o -> o.concurrencyKey(name));
            } else {
              assertThat(permit.get()).isPresent();
            }
            return null;
          });

      assertThat(sluice.concurrency().status(key).limit()).hasValue(1);
    }
  }

  @Test
  void tryAcquire_limitZero_isEmpty() {
    sluice.concurrency().setLimit(GROUP, 0);

    assertThat(take()).isEmpty();
  }

  @Test
  void tryAcquire_familyOrNonsense_isRefused() {
    assertThatThrownBy(() -> take(GROUP.anyKey(), LONG))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> take(GROUP, Duration.ZERO))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(
            () ->
                sluice
                    .concurrency()
                    .tryAcquire(GROUP, OptionalInt.of(-1), "holder", "worker", LONG))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void status_namesTheHolder() {
    sluice.concurrency().setLimit(GROUP, 3);
    SlotLease lease = take().orElseThrow();

    SlotInfo slot = sluice.concurrency().status(GROUP).slots().get(0);
    assertThat(slot.slotId()).isEqualTo(lease.slot());
    assertThat(slot.taskId()).contains("holder");
    assertThat(slot.workerId()).contains("worker");
    assertThat(slot.token()).isEqualTo(lease.token());
    assertThat(slot.expiresAt()).isEqualTo(lease.expiresAt());
  }

  @Test
  void expired_isTakenOverAndTheOldHolderChangesNothing() {
    sluice.concurrency().setLimit(GROUP, 1);
    SlotLease old = take(GROUP, SHORT).orElseThrow();

    SlotLease next = await().until(this::take, Optional::isPresent).orElseThrow();
    assertThat(next.slot()).isEqualTo(old.slot());
    assertThat(next.token()).isGreaterThan(old.token());
    assertThat(sluice.concurrency().release(old)).isFalse();
    assertThat(sluice.concurrency().extendLease(old, LONG)).isEmpty();
    assertThat(active(GROUP)).isEqualTo(1);
    assertThat(sluice.concurrency().release(next)).isTrue();
    assertThat(sluice.concurrency().release(next)).as("twice").isFalse();
    assertThat(active(GROUP)).isZero();
  }

  @Test
  void expired_cannotBeExtendedEvenIfNobodyTookIt() {
    sluice.concurrency().setLimit(GROUP, 2);
    SlotLease old = take(GROUP, SHORT).orElseThrow();

    awaitStoreTime(old.expiresAt());
    assertThat(sluice.concurrency().extendLease(old, LONG)).isEmpty();
    assertThat(sluice.concurrency().release(old)).isFalse();
  }

  @Test
  void extended_outlivesItsFirstLease() {
    sluice.concurrency().setLimit(GROUP, 2);
    SlotLease kept = take(GROUP, SHORT).orElseThrow();
    SlotLease longer = sluice.concurrency().extendLease(kept, LONG).orElseThrow();
    take(GROUP, SHORT).orElseThrow();

    assertThat(longer.token()).isEqualTo(kept.token());
    assertThat(longer.expiresAt()).isAfter(kept.expiresAt().plusSeconds(60));
    await().until(() -> sluice.concurrency().cleanupExpired(GROUP) == 1);
    assertThat(active(GROUP)).isEqualTo(1);
    assertThat(sluice.concurrency().release(longer)).isTrue();
  }

  @Test
  void cleanupExpired_saysHowManyInWhichGroup() {
    // Long enough that none ends before all are taken: taking one would free it.
    Duration brief = shortLease();
    Group other = Group.of("mail").key("a/b");
    sluice.concurrency().setLimit(GROUP, 5);
    sluice.concurrency().setLimit(other, 5);
    for (int i = 0; i < 3; i++) {
      take(GROUP, brief).orElseThrow();
    }
    take(other, brief).orElseThrow();
    take(other, LONG).orElseThrow();
    SlotLease last = take(Group.of("stripe"), brief.multipliedBy(2)).orElseThrow();

    awaitStoreTime(last.expiresAt());
    Map<Group, Integer> freed = sluice.concurrency().cleanupExpired();
    assertThat(freed).isEqualTo(Map.of(GROUP, 4, other, 1));
    assertThat(sluice.concurrency().cleanupExpired()).isEmpty();
    assertThat(active(GROUP)).isZero();
    assertThat(active(other)).isEqualTo(1);
    assertCountersAgree();
  }

  @Test
  void forceRelease_saysWhoHeldIt() {
    sluice.concurrency().setLimit(GROUP, 2);
    SlotLease lease = take().orElseThrow();

    SlotInfo held = sluice.concurrency().forceRelease(GROUP, lease.slot()).orElseThrow();
    assertThat(held.taskId()).contains("holder");
    assertThat(held.workerId()).contains("worker");
    assertThat(held.token()).isEqualTo(lease.token());
    assertThat(active(GROUP)).isZero();
    assertThat(sluice.concurrency().forceRelease(GROUP, lease.slot())).isEmpty();
    assertThat(sluice.concurrency().forceRelease(GROUP, 77)).isEmpty();
    assertThat(sluice.concurrency().release(lease)).isFalse();
    assertThat(sluice.concurrency().extendLease(lease, LONG)).isEmpty();
    assertCountersAgree();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stripe", "stripe/acme"})
  void lowered_permitsDrain(String name) {
    Group group = Group.parse(name);
    sluice.concurrency().setLimit(group, 4);
    List<SlotLease> held = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      held.add(take(group, LONG).orElseThrow());
    }

    sluice.concurrency().setLimit(group, 2);
    // The slots below the new limit are not free just because those above it are still held.
    held.sort(java.util.Comparator.comparingInt(SlotLease::slot));
    for (int i = 0; i < 2; i++) {
      sluice.concurrency().release(held.remove(0));
      assertThat(take(group, LONG)).as("%d still held", held.size()).isEmpty();
    }
    sluice.concurrency().release(held.remove(0));
    assertThat(take(group, LONG)).isPresent();
    assertThat(take(group, LONG)).isEmpty();
  }

  @Test
  void acquire_waitsForAFreeSlot() throws Exception {
    sluice.concurrency().setLimit(GROUP, 1);
    try (Permit permit = sluice.concurrency().acquire("stripe", PATIENCE)) {
      assertThat(permit.held()).isTrue();
      assertThat(permit.group()).isEqualTo(GROUP);
      assertThatThrownBy(() -> sluice.concurrency().acquire("stripe", Duration.ofMillis(50)))
          .isInstanceOf(LimitReachedException.class)
          .hasMessageContaining("stripe");
      permit.close();
      assertThat(permit.held()).isFalse();
    }
    try (Permit next = sluice.concurrency().acquire("stripe", PATIENCE)) {
      assertThat(next.held()).isTrue();
    }
    assertThat(active(GROUP)).isZero();
  }

  @Test
  void acquire_heldPastItsLease_isRenewed_andTheLeaseIsTheConfiguredOne() throws Exception {
    Duration lease = shortLease();
    sluice.concurrency().setLimit(GROUP, 1);
    try (Sluice configured = Sluice.open(fixture.options().lease(lease));
        Permit permit = configured.concurrency().acquire("stripe", PATIENCE)) {
      Instant firstEnd = onlySlot().expiresAt();
      assertThat(firstEnd).isBefore(storeTime().plus(lease).plusMillis(1));

      awaitStoreTime(firstEnd.plus(lease));
      assertThat(permit.held()).isTrue();
      assertThat(take()).isEmpty();
      assertThat(onlySlot().token()).isEqualTo(permit.fencingToken());
      assertThat(onlySlot().expiresAt()).isAfter(firstEnd);
    }
    assertThat(active(GROUP)).isZero();
  }

  private SlotInfo onlySlot() {
    return sluice.concurrency().status(GROUP).slots().get(0);
  }

  @Test
  void acquire_byManyThreads_neverMoreThanTheLimit() throws Exception {
    sluice.concurrency().setLimit(GROUP, 3);
    OverlapMeter meter = new OverlapMeter();
    onThreads(
        8,
        () -> {
          for (int i = 0; i < 6; i++) {
            try (Permit permit = sluice.concurrency().acquire("stripe", PATIENCE);
                OverlapMeter.Run run = meter.begin("stripe")) {
              assertThat(permit.slot()).isBetween(0, 2);
            }
          }
          return null;
        });

    assertThat(meter.count("stripe")).isEqualTo(48);
    assertThat(meter.peak("stripe")).isBetween(1, 3);
    assertThat(active(GROUP)).isZero();
  }
}
