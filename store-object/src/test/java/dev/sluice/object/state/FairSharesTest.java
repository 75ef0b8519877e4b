package dev.sluice.object.state;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How slots are shared, commit by commit, at times of the test's own choice. */
class FairSharesTest {
  private static final long SECOND = 1_000_000;

  private final Map<String, Segment> segments = new HashMap<>();
  private final Map<String, Worker> workers = new HashMap<>();
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
    final long rules;
    Answer answer;
    int started;

    Worker(String id, int threads, int limit) {
      this.id = id;
      this.threads = threads;
      WorkerEntry entry = new WorkerEntry(id, Set.of("mail"), Map.of("mail", limit), 0);
      this.rules = commit(draft -> WorkerStanding.register(draft, id, entry));
      workers.put(id, this);
    }

    /** Ends this many jobs, and goes on. */
    void exchange(int ending) {
      List<JobOutcome> outcomes = new ArrayList<>();
      for (ClaimedJob job : List.copyOf(running.subList(0, ending))) {
        running.remove(job);
        JobOutcome.Verdict succeeded = new JobOutcome.Succeeded(Optional.empty());
        outcomes.add(new JobOutcome(job.id(), job.token(), succeeded, Duration.ofMillis(1)));
      }
      exchange(outcomes, List.of());
      // What brought no job goes back at once.
      List<HeldSlot> idle = new ArrayList<>();
      while (slots.size() > running.size()) {
        idle.add(slots.remove(slots.size() - 1));
      }
      if (!idle.isEmpty()) {
        exchange(List.of(), idle);
      }
    }

    private void exchange(List<JobOutcome> outcomes, List<HeldSlot> released) {
      int wanted = threads - running.size();
      Demand demand =
          wanted == 0
              ? Demand.NONE
              : new Demand(
                  wanted,
                  List.of(new TaskDemand("mail", wanted, 0)),
                  slots.size() > running.size()
                      ? Map.of("mail", slots.size() - running.size())
                      : Map.of());
      waits.begin(true);
      Claimant claimant = new Claimant(id, Set.of("default"), group -> Long.MIN_VALUE, waits);
      Exchange exchange = new Exchange(outcomes, Set.of(), Map.of(), released, demand);
      answer = commit(draft -> WorkerStanding.exchange(draft, claimant, rules, exchange));
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
    List<JobRecord> records = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      records.add(
          new JobRecord(
              new UUID(0, ++submitted),
              new JobRecord.Spec(
                  "mail",
                  new JobRecord.Place("default", 0),
                  new JobRecord.Timing(1, 1, null),
                  JobRecord.Bond.NONE,
                  JobRecord.Entry.FREE,
                  "0"),
              JobRecord.Past.NONE));
    }
    String key = new SegmentKeys.Submitted("producer", submitted, false).key();
    segments.put(key, new Segment(key, records));
    commit(draft -> Admission.admit(draft, segments.get(key), (ids, since) -> Set.of()));
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
}
