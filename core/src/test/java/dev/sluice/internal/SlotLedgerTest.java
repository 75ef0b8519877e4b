package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.Standing.Held;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlotLedgerTest {
  private static final ToIntFunction<String> NO_PREFETCH = task -> 0;
  private static final ToIntFunction<String> FOUR_DEEP = task -> 4;

  private final SlotLedger ledger = new SlotLedger();

  private static List<HeldSlot> slots(String group, int count) {
    return IntStream.range(0, count).mapToObj(n -> new HeldSlot(group, n, 1)).toList();
  }

  private static Held lent(String... gates) {
    return new Held(List.of(gates));
  }

  private static Held named(String group, int slot, String... gates) {
    return new Held(List.of(gates), List.of(new NamedSlot(group, slot)));
  }

  @Test
  void tryEnter_moreThanHeld_isRefused() {
    ledger.add(slots("a", 2));

    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
    assertThat(ledger.tryEnter(lent("a"))).isPresent();
    ledger.leave(lent("a"));
    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
  }

  @Test
  void tryEnter_oneGateFull_takesNoneOfThem() {
    ledger.add(slots("a", 1));
    ledger.add(slots("b", 1));
    assertThat(ledger.tryEnter(lent("b"))).isEmpty();

    assertThat(ledger.tryEnter(lent("a", "b"))).contains("b");
    assertThat(ledger.tryEnter(lent("a", "unheld"))).contains("unheld");

    assertThat(ledger.running("a")).isZero();
    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
  }

  /** A job changed its slot when its worker gave that one back and kept another. */
  @Test
  void takeIdle_jobsOnRecordInSomeSlots_givesTheOthersBack() {
    ledger.add(slots("a", 3));
    ClaimedJob.Bond first = new ClaimedJob.Bond(List.of("a"), List.of(), false, List.of(1));
    ClaimedJob.Bond last = new ClaimedJob.Bond(List.of("a"), List.of(), false, List.of(2));
    ledger.occupy(first);
    ledger.occupy(last);
    ledger.tryEnter(lent("a"));
    ledger.tryEnter(lent("a"));

    assertThat(ledger.takeIdle()).extracting(HeldSlot::slot).containsExactly(0);
    ledger.leave(lent("a"));
    ledger.vacate(first);
    assertThat(ledger.takeIdle()).extracting(HeldSlot::slot).containsExactly(1);
  }

  @Test
  void tryEnter_noGates_isAlwaysAllowed() {
    assertThat(ledger.tryEnter(lent())).isEmpty();
  }

  @Test
  void ask_countsWhatFitsUnderTheSlotsHeld() {
    ledger.add(slots("a", 2));
    ledger.buffer("task", List.of("a"));
    ledger.buffer("task", List.of("a"));
    ledger.unbuffer(List.of("a"));
    ledger.tryEnter(lent("a"));

    assertThat(ledger.ask(NO_PREFETCH)).isEmpty();
    assertThat(ledger.ask(FOUR_DEEP)).isEqualTo(Map.of("a", 8));
  }

  @Test
  void takeUnclaimed_slotFreedAfterTheQuestion_isKeptForTheNext() {
    ledger.add(slots("a", 1));
    ledger.tryEnter(lent("a"));
    ledger.ask(NO_PREFETCH);
    ledger.leave(lent("a"));

    assertThat(ledger.takeUnclaimed()).isEmpty();
    assertThat(ledger.ask(NO_PREFETCH)).isEqualTo(Map.of("a", 1));
    assertThat(ledger.takeUnclaimed()).isEqualTo(slots("a", 1));
    assertThat(ledger.held("a")).isZero();
  }

  @Test
  void takeUnclaimed_slotBackedByABufferedJob_isKept() {
    ledger.add(slots("a", 1));
    ledger.buffer("task", List.of("a"));
    ledger.ask(NO_PREFETCH);

    assertThat(ledger.takeUnclaimed()).isEmpty();
    assertThat(ledger.takeIdle()).isEmpty();
  }

  @Test
  void takeHopeless_onlyJobOfAKeyEnded_givesItsSlotBackAtOnce() {
    ledger.add(slots("key", 1));
    ledger.buffer("task", List.of("key"));
    ledger.tryEnter(lent("key"));
    ledger.unbuffer(List.of("key"));
    ledger.leave(lent("key"));

    assertThat(ledger.takeHopeless(NO_PREFETCH)).isEmpty();
    assertThat(ledger.takeHopeless(FOUR_DEEP)).isEqualTo(slots("key", 1));
  }

  @Test
  void takeHopeless_slotsBeyondAFullBuffer_goBackButForThoseInUse() {
    ToIntFunction<String> batch = task -> DemandPlanner.LARGEST_BATCH - 1;
    int enough = DemandPlanner.LARGEST_BUFFER / DemandPlanner.LARGEST_BATCH + 1;
    ledger.add(slots("a", 10));
    IntStream.range(0, 20).forEach(n -> ledger.buffer("task", List.of("a")));
    IntStream.range(0, 6).forEach(n -> ledger.tryEnter(lent("a")));

    assertThat(ledger.takeHopeless(NO_PREFETCH)).isEmpty();
    assertThat(ledger.takeHopeless(FOUR_DEEP)).isEmpty();
    assertThat(ledger.takeHopeless(batch)).hasSize(4);
    IntStream.range(0, 6).forEach(n -> ledger.leave(lent("a")));
    assertThat(ledger.takeHopeless(batch)).hasSize(6 - enough);
    assertThat(ledger.held("a")).isEqualTo(enough);
  }

  @Test
  void draining_startsNothing_andGivesSlotsBackAsJobsEnd() {
    ledger.add(slots("a", 2));
    ledger.tryEnter(lent("a"));
    ledger.tryEnter(lent("a"));
    ledger.replaceSlots(slots("a", 2), Set.of("a"));

    ledger.leave(lent("a"));
    assertThat(ledger.tryEnter(lent("a"))).isPresent();
    assertThat(ledger.ask(FOUR_DEEP)).isEmpty();
    assertThat(ledger.takeHopeless(NO_PREFETCH)).hasSize(1);
    ledger.leave(lent("a"));
    assertThat(ledger.takeHopeless(NO_PREFETCH)).hasSize(1);

    assertThat(ledger.draining("a")).isFalse();
    ledger.add(slots("a", 1));
    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
  }

  @Test
  void replaceSlots_fewerThanRun_holdsUntilEnoughHaveEnded() {
    ledger.add(slots("a", 3));
    IntStream.range(0, 3).forEach(n -> ledger.tryEnter(lent("a")));

    ledger.replaceSlots(slots("a", 1), Set.of());

    ledger.leave(lent("a"));
    ledger.leave(lent("a"));
    assertThat(ledger.tryEnter(lent("a"))).isPresent();
    ledger.leave(lent("a"));
    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
  }

  @Test
  void move_limitSetWhileRunning_countsTheJobInItsNewGroup() {
    ledger.tryEnter(lent());
    ledger.replaceSlots(slots("a", 1), Set.of());

    ledger.move(lent(), lent("a"));

    assertThat(ledger.tryEnter(lent("a"))).isPresent();
    ledger.leave(lent("a"));
    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
  }

  @Test
  void tryEnter_slotNamedByARunningJob_isRefusedUntilItLeaves() {
    assertThat(ledger.tryEnter(named("k", 0))).isEmpty();

    assertThat(ledger.tryEnter(named("k", 0))).isPresent();
    ledger.leave(named("k", 0));
    assertThat(ledger.tryEnter(named("k", 0))).isEmpty();
  }

  @Test
  void tryEnter_otherSlotOfTheGroup_isAllowed() {
    assertThat(ledger.tryEnter(named("k", 0))).isEmpty();
    assertThat(ledger.tryEnter(named("k", 1))).isEmpty();
    assertThat(ledger.tryEnter(named("l", 0))).isEmpty();
  }

  @Test
  void tryEnter_slotsOfOneGroupBusy_areDifferentObstacles() {
    ledger.tryEnter(named("k", 0));
    ledger.tryEnter(named("k", 1));
    Optional<String> first = ledger.tryEnter(named("k", 0));

    assertThat(ledger.tryEnter(named("k", 1))).isPresent().isNotEqualTo(first);
    assertThat(ledger.tryEnter(named("k", 0))).isEqualTo(first);
    assertThat(ledger.tryEnter(lent("k"))).isPresent().isNotEqualTo(first);
  }

  @Test
  void tryEnter_gateFullOrNamedSlotBusy_takesNeither() {
    ledger.add(slots("a", 1));
    ledger.tryEnter(named("k", 0));

    assertThat(ledger.tryEnter(named("k", 0, "a"))).as("named slot busy").isPresent();
    assertThat(ledger.running("a")).isZero();
    assertThat(ledger.tryEnter(lent("a"))).isEmpty();
    assertThat(ledger.tryEnter(named("k", 1, "a"))).as("gate full").contains("a");
    assertThat(ledger.tryEnter(named("k", 1))).isEmpty();
  }

  @Test
  void namedSlots_areNeitherAskedWorkForNorGivenBack() {
    ledger.tryEnter(named("k", 0));
    ledger.leave(named("k", 0));

    assertThat(ledger.ask(FOUR_DEEP)).isEmpty();
    assertThat(ledger.takeHopeless(FOUR_DEEP)).isEmpty();
    assertThat(ledger.takeUnclaimed()).isEmpty();
    assertThat(ledger.takeIdle()).isEmpty();
    assertThat(ledger.all()).isEmpty();
  }

  @Test
  void replaceSlots_namedSlotBusy_staysBusy() {
    ledger.tryEnter(named("k", 0));

    ledger.replaceSlots(List.of(), Set.of());

    assertThat(ledger.tryEnter(named("k", 0))).isPresent();
  }

  @Test
  void move_namedSlotToGate_freesTheOneAndCountsInTheOther() {
    ledger.tryEnter(named("k", 0));
    ledger.replaceSlots(slots("k", 1), Set.of());

    ledger.move(named("k", 0), lent("k"));

    assertThat(ledger.running("k")).isEqualTo(1);
    assertThat(ledger.tryEnter(lent("k"))).isPresent();
    assertThat(ledger.tryEnter(named("k", 0))).isEmpty();
  }

  /** The one goes on although the store has given it away; the other came to name its slot. */
  @Test
  void move_intoASlotThatRunsAnother_hasRoomWhenBothHaveLeft() {
    ledger.tryEnter(named("k", 0));
    ledger.tryEnter(named("k", 1));
    ledger.move(named("k", 1), named("k", 0));

    ledger.leave(named("k", 0));
    assertThat(ledger.tryEnter(named("k", 0))).isPresent();
    ledger.leave(named("k", 0));
    assertThat(ledger.tryEnter(named("k", 0))).isEmpty();
  }

  /** Many threads enter and leave while slots come and go: no group ever runs more than is held. */
  @Test
  void tryEnter_manyThreads_neverRunsMoreThanIsHeld() throws Exception {
    long seed = System.nanoTime();
    System.out.println("SlotLedgerTest seed " + seed);
    List<String> groups = List.of("a", "b", "c", "d");
    Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    Map<String, AtomicInteger> held = new ConcurrentHashMap<>();
    groups.forEach(group -> running.put(group, new AtomicInteger()));
    groups.forEach(group -> held.put(group, new AtomicInteger()));
    List<String> violations = Collections.synchronizedList(new ArrayList<>());
    ExecutorService threads = Executors.newFixedThreadPool(9);
    List<Future<?>> all = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      Random random = new Random(seed + t);
      all.add(
          threads.submit(
              () -> {
                for (int i = 0; i < 20_000; i++) {
                  List<String> gates =
                      groups.stream().filter(group -> random.nextInt(3) == 0).toList();
                  if (ledger.tryEnter(new Held(gates)).isEmpty()) {
                    for (String group : gates) {
                      // Slots counted before they are added, uncounted after they are taken.
                      if (running.get(group).incrementAndGet() > held.get(group).get()) {
                        violations.add(group);
                      }
                    }
                    gates.forEach(group -> running.get(group).decrementAndGet());
                    ledger.leave(new Held(gates));
                  }
                }
              }));
    }
    all.add(
        threads.submit(
            () -> {
              Random random = new Random(seed - 1);
              for (int i = 0; i < 5_000; i++) {
                String group = groups.get(random.nextInt(groups.size()));
                if (random.nextBoolean()) {
                  held.get(group).incrementAndGet();
                  ledger.add(List.of(new HeldSlot(group, i, 1)));
                } else {
                  ledger.ask(FOUR_DEEP);
                  ledger.takeIdle().forEach(slot -> held.get(slot.group()).decrementAndGet());
                }
              }
            }));
    for (Future<?> future : all) {
      future.get();
    }
    threads.shutdown();

    assertThat(violations).isEmpty();
    assertThat(groups).allMatch(group -> ledger.running(group) == 0);
    assertThat(groups).allMatch(group -> ledger.held(group) == held.get(group).get());
  }
}
