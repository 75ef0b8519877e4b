package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** How many jobs come before one, in its queue and in a group. */
abstract class PlaceInLineContract extends ContractTopic {
  private static final Task<Integer> A = task("a");
  private static final Task<Integer> B = task("b");

  private static final Set<String> TASKS = Set.of("a", "b", "limited", "keyed");

  PlaceInLineContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private int inQueue(UUID id) {
    return store.jobs().ahead(id, Optional.empty(), TASKS, 1_000);
  }

  private int inGroup(UUID id, Group group) {
    return store.jobs().ahead(id, Optional.of(group), TASKS, 1_000);
  }

  @Test
  void unknownJob_isZero() {
    submit(A, 3);

    assertThat(inQueue(UUID.randomUUID())).isZero();
    assertThat(inGroup(UUID.randomUUID(), A.group())).isZero();
  }

  @Test
  void queue_countsAllTasksOfTheQueueInOrder() {
    List<UUID> first = submit(A, 3);
    List<UUID> second = submit(B, 2);
    submit(A, 4, o -> o.queue("other"));
    UUID urgent = submit(B, o -> o.priority(5));
    UUID idle = submit(A, o -> o.priority(-1));

    assertThat(inQueue(urgent)).isZero();
    assertThat(inQueue(first.get(0))).isEqualTo(1);
    assertThat(inQueue(first.get(2))).isEqualTo(3);
    assertThat(inQueue(second.get(1))).isEqualTo(5);
    assertThat(inQueue(idle)).isEqualTo(6);
  }

  @Test
  void queue_startedAndScheduledJobsAreNotAhead() {
    List<UUID> ids = submit(A, 4);
    submit(A, o -> o.priority(9).delay(Duration.ofHours(1)));
    ManualWorker worker = manualWorker(A);
    assertThat(inQueue(ids.get(3))).isEqualTo(3);
    worker.claim("a", 2);

    assertThat(inQueue(ids.get(3))).isEqualTo(1);
  }

  @Test
  void most_boundsTheCount() {
    List<UUID> ids = submit(A, 20);

    assertThat(store.jobs().ahead(ids.get(19), Optional.empty(), TASKS, 7)).isEqualTo(7);
    assertThat(store.jobs().ahead(ids.get(19), Optional.of(A.group()), TASKS, 7)).isEqualTo(7);
    assertThat(store.jobs().ahead(ids.get(3), Optional.empty(), TASKS, 7)).isEqualTo(3);
  }

  @Test
  void taskGroup_countsTheTaskAloneInWhateverQueue() {
    List<UUID> first = submit(A, 3);
    submit(B, 5, o -> o.priority(3));
    submit(A, 2, o -> o.queue("other").priority(1));
    UUID last = submit(A);

    assertThat(inGroup(first.get(0), A.group())).isEqualTo(2);
    assertThat(inGroup(last, A.group())).isEqualTo(5);
    assertThat(inQueue(last)).isEqualTo(8);
  }

  @Test
  void limitedTask_countsThoseThatWait() {
    Task<Integer> limited = task("limited", 1);
    List<UUID> ids = submit(limited, 6);
    ManualWorker worker = manualWorker(limited);
    List<ClaimedJob> running = worker.claim("limited", 6);
    assertThat(ids(running)).containsExactly(ids.get(0));

    assertThat(inGroup(ids.get(5), limited.group())).isEqualTo(4);
    assertThat(inGroup(ids.get(1), limited.group())).isZero();
    assertThat(inQueue(ids.get(5))).as("none of the others can start").isZero();
    worker.succeedAll(running);
    assertThat(inQueue(ids.get(5))).as("one can").isEqualTo(1);
    assertThat(ids(worker.claim("limited", 1))).containsExactly(ids.get(1));
    assertThat(inGroup(ids.get(5), limited.group())).isEqualTo(3);
  }

  @Test
  void keyedAndNamedGroups_countTheirJobsAlone() {
    Task<Integer> keyed = Task.named("keyed", Integer.class).maxConcurrentPerKey(1).build();
    Group red = keyed.group().key("red");
    ManualWorker worker = manualWorker(keyed, A);
    UUID running = submit(keyed, o -> o.concurrencyKey("red"));
    assertThat(ids(worker.claim("keyed", 1))).containsExactly(running);
    List<UUID> reds = submit(keyed, 3, o -> o.concurrencyKey("red"));
    List<UUID> blues = submit(keyed, 2, o -> o.concurrencyKey("blue"));
    List<UUID> named = submit(A, 4, o -> o.concurrencyGroup("named").concurrencyLimit(1));

    assertThat(inGroup(reds.get(2), red)).isEqualTo(2);
    assertThat(inGroup(reds.get(0), red)).isZero();
    assertThat(inGroup(blues.get(1), keyed.group().key("blue"))).isEqualTo(1);
    assertThat(inGroup(blues.get(1), keyed.group())).isEqualTo(4);
    assertThat(inGroup(named.get(3), Group.of("named"))).isEqualTo(3);

    // Whatever a claim does with jobs that it finds to be in a full group, they stay in line.
    assertThat(ids(worker.claim("keyed", 9))).containsExactly(blues.get(0));
    assertThat(ids(worker.claim("a", 9))).containsExactly(named.get(0));
    UUID urgent = submit(keyed, o -> o.concurrencyKey("red").priority(1));
    assertThat(inGroup(urgent, red)).isZero();
    assertThat(inGroup(reds.get(2), red)).isEqualTo(3);
    assertThat(inGroup(blues.get(1), keyed.group().key("blue"))).isZero();
    assertThat(inGroup(blues.get(1), keyed.group())).isEqualTo(4);
    assertThat(inGroup(named.get(3), Group.of("named"))).isEqualTo(2);
    assertThat(inQueue(named.get(3))).as("all groups are full").isZero();
    assertThat(inQueue(submit(B))).isZero();
  }

  @Test
  void queue_countsNoMoreThanThereArePlaces() {
    Task<Integer> limited = task("limited", 3);
    manualWorker(limited, A);
    submit(limited, 5);
    submit(A, 2);

    assertThat(inQueue(submit(B))).isEqualTo(3 + 2);
  }

  @Test
  void queue_othersTasks_areNotAhead() {
    submit(A, 3);
    submit(task("foreign"), 4, o -> o.priority(7));
    UUID last = submit(B);

    assertThat(inQueue(last)).isEqualTo(3);
    assertThat(store.jobs().ahead(last, Optional.empty(), Set.of("b"), 1_000)).isZero();
    assertThat(store.jobs().ahead(last, Optional.empty(), Set.of(), 1_000)).isZero();
    assertThat(store.jobs().ahead(last, Optional.empty(), Set.of("foreign", "b"), 1_000))
        .isEqualTo(4);
  }

  @Test
  void queue_fullKeysBeforeAnyClaimSawThem_areNotAhead() {
    Task<Integer> keyed = Task.named("keyed", Integer.class).maxConcurrentPerKey(1).build();
    ManualWorker worker = manualWorker(keyed);
    submit(keyed, o -> o.concurrencyKey("red"));
    assertThat(worker.claim("keyed", 1)).hasSize(1);
    submit(keyed, 4, o -> o.concurrencyKey("red"));
    submit(keyed, 1, o -> o.concurrencyKey("blue"));

    assertThat(inQueue(submit(B))).isEqualTo(1);
  }
}
