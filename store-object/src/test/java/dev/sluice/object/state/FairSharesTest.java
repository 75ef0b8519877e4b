package dev.sluice.object.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.LimitLevel;
import dev.sluice.object.state.Claiming.Claimant;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How slots are shared, commit by commit, at times of the test's own choice. */
class FairSharesTest {
  private static final long SECOND = 1_000_000;

  private final Map<String, Segment> segments = new HashMap<>();
  private ShardState state = ShardState.EMPTY;
  private long now = SECOND;
  private int submitted;

  /** A worker that reports, gives back and asks in one exchange, as real ones do. */
  private final class Worker {
    final String id;
    final Waits waits = new Waits(Waits.PASSED_OVER);
    final List<ClaimedJob> running = new ArrayList<>();
    final List<HeldSlot> slots = new ArrayList<>();
    final int threads;
    final Set<String> tasks;
    long rules;
    Answer answer;
    int started;

    Worker(String id, int threads, int limit) {
      this(id, threads, Map.of("mail", limit));
    }

    Worker(String id, int threads, Map<String, Integer> limits) {
      this.id = id;
      this.threads = threads;
      this.tasks = new TreeSet<>(limits.keySet());
      WorkerEntry entry = new WorkerEntry(id, tasks, limits, 0);
      this.rules = commit(draft -> WorkerStanding.register(draft, id, entry));
    }

    /** Ends this many jobs, and goes on. */
    void exchange(int ending) {
      end(List.copyOf(running.subList(0, ending)));
    }

    /** Ends the jobs it runs in a group, and goes on. */
    void endIn(String group) {
      end(running.stream().filter(job -> job.gates().contains(group)).toList());
    }

    private void end(List<ClaimedJob> ending) {
      List<JobOutcome> outcomes = new ArrayList<>();
      for (ClaimedJob job : ending) {
        running.remove(job);
        JobOutcome.Verdict succeeded = new JobOutcome.Succeeded(Optional.empty());
        outcomes.add(new JobOutcome(job.id(), job.token(), succeeded, Duration.ofMillis(1)));
      }
      exchange(outcomes, List.of());
      // What brought no job goes back at once.
      List<HeldSlot> idle = new ArrayList<>();
      spare().forEach((group, count) -> idle.addAll(slotsOf(group).subList(0, count)));
      if (!idle.isEmpty()) {
        slots.removeAll(idle);
        exchange(List.of(), idle);
      }
    }

    private List<HeldSlot> slotsOf(String group) {
      return slots.stream().filter(slot -> slot.group().equals(group)).toList();
    }

    /** Agrees with the store on the limits. */
    void reconcile() {
      Map<UUID, Long> known = new HashMap<>();
      running.forEach(job -> known.put(job.id(), job.token()));
      commit(draft -> WorkerStanding.reconcile(draft, id, known));
      rules = state.limits().rulesVersion();
    }

    boolean runs(int number) {
      return running.stream().anyMatch(job -> job.id().equals(new UUID(0, number)));
    }

    private Map<String, Integer> spare() {
      Map<String, Integer> spare = new TreeMap<>();
      slots.forEach(slot -> spare.merge(slot.group(), 1, Integer::sum));
      running.forEach(job -> job.gates().forEach(group -> spare.merge(group, -1, Integer::sum)));
      spare.values().removeIf(count -> count <= 0);
      return spare;
    }

    private void exchange(List<JobOutcome> outcomes, List<HeldSlot> released) {
      int wanted = threads - running.size();
      List<TaskDemand> demands =
          tasks.stream().map(task -> new TaskDemand(task, wanted, 0)).toList();
      Demand demand = wanted == 0 ? Demand.NONE : new Demand(wanted, demands, spare());
      waits.begin(true);
      Claimant claimant = new Claimant(id, Set.of("default"), group -> Long.MIN_VALUE, waits);
      Exchange exchange = new Exchange(outcomes, Set.of(), Map.of(), released, demand);
      answer = commit(draft -> WorkerStanding.exchange(draft, claimant, rules, exchange));
      assertThat(answer.stale()).as("limits have changed").isFalse();
      waits.committed();
      running.addAll(answer.jobs());
      slots.addAll(answer.slots());
      started += answer.jobs().size();
    }
  }

  private interface Step<T> {
    T apply(ShardDraft draft);
  }

  private <T> T commit(Step<T> step) {
    ShardDraft draft = new ShardDraft(state, segments::get, now, now);
    T answer = step.apply(draft);
    if (draft.isChanged()) {
      state = draft.seal("nonce" + now, null);
    }
    return answer;
  }

  private void submit(int jobs) {
    submit(jobs, "mail");
  }

  /** Submits jobs of a task, in these groups besides its own; the number of the last. */
  private int submit(int jobs, String task, String... groups) {
    List<JobRecord> records = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      records.add(
          new JobRecord(
              new UUID(0, ++submitted),
              new JobRecord.Spec(
                  task,
                  new JobRecord.Place("default", 0),
                  new JobRecord.Timing(now, now, null),
                  new JobRecord.Bond(List.of(groups), null, null, false),
                  JobRecord.Entry.FREE,
                  "0"),
              JobRecord.Past.NONE));
    }
    String key = new SegmentKeys.Submitted("producer", submitted, false).key();
    segments.put(key, new Segment(key, records));
    commit(draft -> Admission.admit(draft, segments.get(key), (ids, since) -> Set.of()));
    return submitted;
  }

  private int held() {
    return state.limits().slots().getOrDefault("mail", new TreeMap<>()).size();
  }

  private int asking() {
    return state.limits().asks().byGroup().getOrDefault("mail", List.of()).size();
  }

  @Test
  void workerAlone_asksForNothing() {
    submit(100);
    Worker alone = new Worker("alone", 10, 3);
    for (int i = 0; i < 5; i++) {
      alone.exchange(alone.running.size());
      assertThat(alone.running).hasSize(3);
      assertThat(state.limits().asks()).isEqualTo(Asks.NONE);
      assertThat(alone.answer.nextDue()).as("looks no more often than it would").isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 2", "10, 2", "100, 3", "9, 8", "1, 2", "3, 8", "1, 8", "7, 4"})
  void saturated_everyWorkerRunsHalfItsShare(int limit, int count) {
    submit(20_000);
    List<Worker> all = new ArrayList<>();
    all.add(new Worker("0", 200, limit));
    all.get(0).exchange(0);
    for (int i = 1; i < count; i++) {
      all.add(new Worker("" + i, 200, limit));
    }
    int before = all.get(0).started;
    // Jobs take 250 ms; workers look every 50 ms.
    for (int tick = 0; tick < 200; tick++) {
      now += 50_000;
      for (int i = 0; i < count; i++) {
        Worker worker = all.get(i);
        boolean ends = (tick + i) % 5 == 0;
        worker.exchange(ends ? worker.running.size() : 0);
      }
      assertThat(held()).isLessThanOrEqualTo(limit);
    }
    int total = all.stream().mapToInt(worker -> worker.started).sum() - before;
    assertThat(total).as("starts of 10 s").isGreaterThan(limit * 40 * 85 / 100);
    for (Worker worker : all) {
      assertThat(worker.started).as("of %d", total).isGreaterThanOrEqualTo(total / count / 2);
    }
  }

  @Test
  void askOfWorkerThatDied_isVoidAfterThreeSeconds() {
    submit(100);
    Worker holder = new Worker("holder", 10, 4);
    Worker dead = new Worker("dead", 10, 4);
    holder.exchange(0);
    dead.exchange(0);
    assertThat(asking()).isEqualTo(1);

    holder.exchange(4);
    assertThat(holder.running).as("its share").hasSize(2);
    now += 2 * SECOND;
    holder.exchange(2);
    assertThat(holder.running).hasSize(2);
    now += 2 * SECOND;
    holder.exchange(2);
    assertThat(holder.running).hasSize(4);
    assertThat(asking()).isZero();
  }

  @Test
  void askOfWorkerWithoutStanding_isGone() {
    submit(100);
    Worker holder = new Worker("holder", 10, 4);
    Worker leaving = new Worker("leaving", 10, 4);
    holder.exchange(0);
    leaving.exchange(0);
    assertThat(asking()).isEqualTo(1);

    commit(draft -> Ending.retire(draft, "leaving", true));
    assertThat(state.limits().asks()).isEqualTo(Asks.NONE);
    holder.exchange(4);
    assertThat(holder.running).hasSize(4);
  }

  /** Its answer says when to look: when the turn of the other is over, and soon after. */
  @Test
  void limitOne_handsOverWhenTheTurnIsOver() {
    submit(100);
    Worker first = new Worker("first", 1, 1);
    Worker second = new Worker("second", 1, 1);
    first.exchange(0);
    second.exchange(0);
    assertThat(second.answer.nextDue()).contains(Duration.ofSeconds(1));
    now += 900_000;
    first.exchange(1);
    assertThat(first.running).hasSize(1);
    now += 100_000;
    first.exchange(1);
    assertThat(first.running).as("its turn is over").isEmpty();
    second.exchange(0);
    assertThat(second.running).hasSize(1);
    assertThat(first.answer.nextDue().orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(asking()).as("the first waits for its next turn").isEqualTo(1);
  }

  @Test
  void askedFor_costsOneCommit() {
    submit(100);
    Worker holder = new Worker("holder", 3, 3);
    Worker waiting = new Worker("waiting", 3, 3);
    holder.exchange(0);
    waiting.exchange(0);
    long version = state.edition().version();
    for (int i = 0; i < 100; i++) {
      now += SECOND;
      waiting.exchange(0);
    }
    assertThat(state.edition().version()).isEqualTo(version);
  }

  /** Each of them held up the group for three seconds, one after the other. */
  @Test
  void asksOfWorkersThatDiedTogether_costThreeSecondsOnce() {
    submit(1_000);
    Worker holder = new Worker("holder", 1, 1);
    holder.exchange(0);
    for (int i = 0; i < 8; i++) {
      new Worker("dead" + i, 1, 1).exchange(0);
    }
    assertThat(asking()).isEqualTo(8);
    int idle = 0;
    for (int tick = 0; tick < 300; tick++) {
      now += SECOND / 10;
      holder.exchange(holder.running.size());
      idle += held() == 0 ? 1 : 0;
    }
    assertThat(idle).as("tenths of a second without a job").isBetween(25, 35);
    assertThat(asking()).isZero();
  }

  /** A slot that is taken was not left free for nothing: those behind in line have not died. */
  @Test
  void slotTakenByTheFirstInLine_othersKeepTheirPlace() {
    submit(1_000);
    List<Worker> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(new Worker("" + i, 1, 1));
      all.get(i).exchange(0);
    }
    List<String> order = new ArrayList<>();
    for (int tick = 0; tick < 140; tick++) {
      now += SECOND / 10;
      for (Worker worker : all) {
        int before = worker.started;
        worker.exchange(worker.running.size());
        if (worker.started > before && !order.contains(worker.id)) {
          order.add(worker.id);
        }
      }
    }
    assertThat(order).containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
  }

  private static final Map<String, Integer> TWO_GROUPS = Map.of("one", 1, "other", 1);

  private int heldOf(String group) {
    return state.limits().slots().getOrDefault(group, new TreeMap<>()).size();
  }

  private List<Asks.Reservation> reservations() {
    return state.limits().asks().reservations();
  }

  /** A job in two groups that are full, with a backlog of other jobs behind it in both. */
  private int submitForBoth(Worker... workers) {
    submit(1, "one");
    submit(1, "other");
    for (Worker worker : workers) {
      worker.exchange(0);
    }
    int both = submit(1, "one", "other");
    submit(10_000, "one");
    submit(1_000, "other");
    return both;
  }

  /** Lets a worker find the job passed over in both groups, and have slots kept for it. */
  private void waitUntilKept(Worker worker) {
    for (int tick = 0; tick < 60; tick++) {
      now += SECOND / 10;
      worker.endIn(tick == 3 ? "other" : "one");
    }
    assertThat(reservations()).hasSize(1);
    assertThat(heldOf("other")).isEqualTo(1);
  }

  @Test
  void jobInTwoBusyGroups_startsSoonAfterSlotsAreKept() {
    Worker worker = new Worker("worker", 4, TWO_GROUPS);
    int both = submitForBoth(worker);
    int ticks = 0;
    for (; ticks < 600 && !worker.runs(both); ticks++) {
      now += SECOND / 10;
      worker.endIn(ticks % 2 == 0 ? "one" : "other");
    }
    assertThat(ticks).as("tenths of a second").isBetween(50, 60);
    assertThat(reservations()).isEmpty();
  }

  /** What is kept for a job in one group stood idle for as long as the other group was busy. */
  @Test
  void otherGroupStaysBusy_slotsAreKeptForTenSecondsAtATime() {
    Worker first = new Worker("first", 4, TWO_GROUPS);
    Worker second = new Worker("second", 4, TWO_GROUPS);
    int both = submitForBoth(first, second);
    int idle = 0;
    int longest = 0;
    int all = 0;
    for (int tick = 0; tick < 3_000; tick++) {
      now += SECOND / 10;
      first.endIn("one");
      second.endIn("one");
      idle = heldOf("one") == 0 ? idle + 1 : 0;
      longest = Math.max(longest, idle);
      all += heldOf("one") == 0 ? 1 : 0;
    }
    assertThat(longest).as("tenths of a second without a job, at once").isBetween(50, 110);
    assertThat(all).as("of 3000 tenths of a second").isLessThan(750);
    // It is kept for again, and starts then.
    for (int tick = 0; tick < 1_000 && reservations().stream().noneMatch(this::stands); tick++) {
      now += SECOND / 10;
      first.endIn("one");
      second.endIn("one");
    }
    first.exchange(first.running.size());
    second.exchange(second.running.size());
    first.exchange(0);
    assertThat(first.runs(both) || second.runs(both)).isTrue();
  }

  private boolean stands(Asks.Reservation kept) {
    return kept.stands(now);
  }

  @Test
  void otherGroupIsHeld_nothingIsKept() {
    Worker worker = new Worker("worker", 4, TWO_GROUPS);
    submitForBoth(worker);
    waitUntilKept(worker);
    assertThat(heldOf("one")).isZero();

    commit(
        draft -> {
          LimitRules.set(draft, "other", LimitLevel.OPERATOR, 0, "operator");
          return null;
        });
    worker.reconcile();
    worker.endIn("one");
    assertThat(heldOf("one")).isEqualTo(1);
    assertThat(reservations()).isEmpty();
  }

  @Test
  void workerThatSlotsWereKeptByDied_groupGoesOnAfterTenSeconds() {
    Worker dead = new Worker("dead", 2, TWO_GROUPS);
    submitForBoth(dead);
    waitUntilKept(dead);
    Worker live = new Worker("live", 2, TWO_GROUPS);
    for (int tick = 0; tick < 100; tick++) {
      now += SECOND / 10;
      live.endIn("one");
    }
    assertThat(live.running).hasSize(1);
  }

  @Test
  void worker_hasSlotsKeptForSixteenJobsAtMost() {
    Map<String, Integer> limits = new TreeMap<>();
    for (int i = 10; i < 50; i++) {
      limits.put("g" + i, 1);
    }
    Worker worker = new Worker("worker", 100, limits);
    limits.keySet().forEach(group -> submit(1, group));
    worker.exchange(0);
    for (int i = 10; i < 50; i += 2) {
      submit(1, "g" + i, "g" + (i + 1));
    }
    limits.keySet().forEach(group -> submit(100, group));
    for (int tick = 0; tick < 60; tick++) {
      now += SECOND / 10;
      for (int i = 10; i < 50; i += 2) {
        worker.endIn("g" + i);
      }
    }
    assertThat(reservations()).hasSize(16);
  }

  /** Among more full groups than a worker asks for, it goes on asking for those it asked for. */
  @Test
  void manyFullGroups_workerKeepsItsPlaceInLine() {
    Map<String, Integer> limits = new TreeMap<>();
    for (int i = 10; i < 30; i++) {
      limits.put("g" + i, 1);
    }
    Worker holder = new Worker("holder", 100, limits);
    Worker asking = new Worker("asking", 100, limits);
    limits.keySet().forEach(group -> submit(1, group));
    holder.exchange(0);
    now += SECOND;
    limits.keySet().stream().skip(4).forEach(group -> submit(100, group));
    asking.exchange(0);
    Set<String> before = state.limits().asks().byGroup().keySet();
    assertThat(before).hasSize(16);
    // Now jobs of other groups are better.
    submitted = -1_000_000;
    now -= SECOND / 2;
    limits.keySet().stream().limit(4).forEach(group -> submit(100, group));
    now += SECOND;
    asking.exchange(0);
    assertThat(state.limits().asks().byGroup().keySet()).isEqualTo(before);
  }
}
