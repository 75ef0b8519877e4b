package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Group;
import dev.sluice.LeaseLostException;
import dev.sluice.Task;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerStore.StoredWorker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The workers on record: who they are, until when, and what they say about themselves. */
abstract class RosterContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");

  RosterContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private Optional<StoredWorker> onRecord(ManualWorker worker) {
    return store.workers().list().stream()
        .filter(stored -> stored.id().equals(worker.id()))
        .findFirst();
  }

  @Test
  void nobodySignedOn_isEmpty() {
    assertThat(store.workers().list()).isEmpty();
  }

  @Test
  void signedOn_isListedAsItRegistered() {
    WorkerRegistration registration =
        new WorkerRegistration(
            "host 'a' / 17",
            Set.of("red", "a/b 'c'"),
            Set.of("t", "odd/name=%*"),
            Map.of(Group.of("t"), 3, Group.of("odd/name=%*").anyKey(), 2),
            LONG_LEASE);
    ManualWorker worker = manualWorker(registration);

    StoredWorker stored = onRecord(worker).orElseThrow();
    assertThat(stored.registration()).isEqualTo(registration);
    assertThat(stored.bulletin()).isEmpty();
    assertThat(stored.expiresAt()).isAfter(stored.startedAt().plus(LONG_LEASE.dividedBy(2)));
    assertThat(stored.readAt()).isBetween(stored.startedAt(), stored.expiresAt());
  }

  @Test
  void several_longestSignedOnFirst() {
    ManualWorker first = manualWorker(TASK);
    StoredWorker stored = onRecord(first).orElseThrow();
    // Some stores know the time to the second only.
    awaitStoreTime(stored.startedAt().plus(Duration.ofMillis(1_100)));
    ManualWorker second = manualWorker(TASK);

    assertThat(store.workers().list())
        .extracting(StoredWorker::id)
        .containsExactly(first.id(), second.id());
  }

  @Test
  void published_replacesWhatWasSaidBefore() {
    ManualWorker worker = manualWorker(TASK);
    ManualWorker silent = manualWorker(TASK);
    for (String bulletin : new String[] {"{\"running\": 1}", "é 'x' \\ %", "y".repeat(20_000)}) {
      worker.session().publish(bulletin);
      worker.session().renew(Duration.ZERO);
      assertThat(onRecord(worker).orElseThrow().bulletin()).contains(bulletin);
    }
    assertThat(onRecord(silent).orElseThrow().bulletin()).isEmpty();
  }

  @Test
  void renewed_expiresLater() {
    ManualWorker worker = manualWorker(TASK);
    StoredWorker before = onRecord(worker).orElseThrow();
    worker.session().renew(LONG_LEASE.multipliedBy(10));

    StoredWorker after = onRecord(worker).orElseThrow();
    assertThat(after.expiresAt()).isAfter(before.expiresAt().plus(LONG_LEASE));
    assertThat(after.startedAt()).isEqualTo(before.startedAt());
  }

  @Test
  void signedOff_isGone() {
    ManualWorker worker = manualWorker(TASK);
    ManualWorker stays = manualWorker(TASK);
    worker.session().publish("soon gone");
    worker.close();

    assertThat(store.workers().list()).extracting(StoredWorker::id).containsExactly(stays.id());
  }

  @Test
  void recovered_isGoneAndPublishesNoMore() {
    ManualWorker worker = manualWorker(shortLease(), TASK);
    await().until(() -> !store.recover().deadWorkers().isEmpty());

    assertThat(store.workers().list()).isEmpty();
    assertThatThrownBy(
            () -> {
              worker.session().publish("still here");
              worker.session().renew(Duration.ZERO);
            })
        .isInstanceOf(LeaseLostException.class);
    assertThat(store.workers().list()).isEmpty();
  }
}
