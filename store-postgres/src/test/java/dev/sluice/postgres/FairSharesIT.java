package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.LimitLevel;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * How a slot comes from one worker to the next, and how it is kept for a job: the steps, where the
 * contract sees the effect.
 */
class FairSharesIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  /** Slots that claimed jobs name. */
  @Nested
  class Cold extends Steps {
    @Override
    PostgresFixture open() {
      return new PostgresFixture(SERVER);
    }
  }

  /** Slots that are lent to workers. */
  @Nested
  class Hot extends Steps {
    @Override
    PostgresFixture open() {
      return PostgresFixture.hot(SERVER);
    }
  }

  abstract static class Steps {
    private static final Task<Integer> ONE = task("one", 1);
    private static final Task<Integer> WIDE = task("wide", 3);
    private static final Task<Integer> FREE = task("free", 100);

    private PostgresFixture fixture;
    private JobStore store;
    private Sluice sluice;
    private final List<WorkerSession> sessions = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();

    abstract PostgresFixture open();

    private static Task<Integer> task(String name, int limit) {
      return Task.named(name, Integer.class).maxConcurrent(limit).build();
    }

    @BeforeEach
    void openFixture() {
      fixture = open();
      store = fixture.openStore();
      sluice = fixture.open();
    }

    @AfterEach
    void closeFixture() {
      workers.forEach(Worker::close);
      sessions.forEach(WorkerSession::close);
      sluice.close();
      store.close();
      fixture.close();
    }

    @Test
    void slotIsLeft_workerInLineIsWokenAndTakesIt() throws Exception {
      submit(ONE, 10);
      Hands holder = new Hands(1);
      Hands other = new Hands(1);
      assertThat(holder.claim()).isTrue();
      CountDownLatch woken = new CountDownLatch(1);
      other.session.onWake(woken::countDown);
      assertThat(other.claim()).isFalse();
      assertThat(asks()).isEqualTo(1);

      assertThat(holder.goOn()).isFalse();
      assertThat(woken.await(10, TimeUnit.SECONDS)).as("woken").isTrue();
      assertThat(holder.claim()).as("takes what is left for another").isFalse();
      assertThat(other.claim()).isTrue();
    }

    @Test
    void turns_slotIsKeptFromJobToJobForAWhile() throws Exception {
      submit(ONE, 150);
      Hands first = new Hands(1);
      Hands second = new Hands(1);
      assertThat(first.claim()).isTrue();
      assertThat(second.claim()).isFalse();
      assertThat(first.goOn()).isFalse();
      assertThat(second.claim()).isTrue();
      long began = System.nanoTime();
      Hands third = new Hands(1);
      assertThat(third.claim()).isFalse();
      assertThat(asks()).isPositive();
      while (second.goOn()) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("how long it went on")
          .isGreaterThanOrEqualTo(Duration.ofMillis(500));
      assertThat(first.claim() || third.claim()).isTrue();
    }

    /** Workers with jobs of other tasks in front never got as far as the slot left for them. */
    @Test
    void slotIsLeftForAWorker_itComesBeforeOlderJobsOfOtherTasks() {
      submit(ONE, 10);
      Hands holder = new Hands(1);
      Hands other = new Hands(2);
      assertThat(holder.claim()).isTrue();
      assertThat(other.claim()).isFalse();
      assertThat(holder.goOn()).isFalse();
      sluice.submitAll(WIDE, Collections.nCopies(10, 1), options -> options.priority(9));
      other.claim();
      assertThat(other.jobs).extracting(ClaimedJob::task).containsExactly("one", "wide");

      fixture.execute(
          "UPDATE ${schema}.ask SET turn_ends = 'infinity' WHERE worker_id = '%s'"
              .formatted(other.session.workerId()));
      assertThat(other.goOn()).isTrue();
      assertThat(other.jobs)
          .as("while it has its turn")
          .extracting(ClaimedJob::task)
          .containsExactly("wide", "one");
    }

    /** There is more to find for such a worker after each look, and no look is in vain for long. */
    @Test
    void otherJobsKeepComing_workerStandsInLineForASharedGroupAllTheSame() {
      submit(ONE, 10);
      Hands holder = new Hands(1, List.of(ONE));
      Hands other = new Hands(4, List.of(WIDE, FREE));
      assertThat(holder.claim()).isTrue();
      sluice.submitAll(WIDE, List.of(1, 2), options -> options.concurrencyGroup("one"));

      Awaitility.await()
          .until(
              () -> {
                submit(FREE, 1);
                other.claim();
                boolean inLine = asks() == 1;
                while (!other.jobs.isEmpty()) {
                  other.goOn();
                }
                return inLine;
              });
    }

    @Test
    void workerInLineDoesNotCome_slotIsUsedAllTheSame() throws Exception {
      submit(ONE, 10);
      Hands holder = new Hands(1);
      assertThat(holder.claim()).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(new Hands(1).claim()).isFalse();
      }
      assertThat(asks()).isEqualTo(3);
      assertThat(holder.goOn()).isFalse();
      long began = System.nanoTime();
      Awaitility.await().until(holder::claim);
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("three workers that do not come cost what one does")
          .isBetween(Duration.ofMillis(2_900), Duration.ofMillis(8_900));
      assertThat(asks()).isZero();
    }

    @Test
    void workerLeavesOrHasNoRoom_holderGoesOn() throws Exception {
      submit(ONE, 10);
      Hands holder = new Hands(1);
      Hands leaves = new Hands(1);
      Hands fills = new Hands(1);
      assertThat(holder.claim()).isTrue();
      assertThat(leaves.claim()).isFalse();
      assertThat(fills.claim()).isFalse();
      assertThat(asks()).isEqualTo(2);
      leaves.session.close();
      fills.exchange(List.of(), List.of(), Demand.NONE);
      assertThat(asks()).isZero();
      assertThat(holder.goOn()).isTrue();
    }

    @Test
    void workerHasNoUseForItsOffer_nextInLineGetsIt() throws Exception {
      submit(ONE, 10);
      Hands holder = new Hands(1);
      Hands first = new Hands(1);
      Hands second = new Hands(1);
      assertThat(holder.claim()).isTrue();
      assertThat(first.claim()).isFalse();
      assertThat(second.claim()).isFalse();
      AtomicInteger calls = new AtomicInteger();
      second.session.onWake(calls::incrementAndGet);
      assertThat(holder.goOn()).isFalse();
      assertThat(second.claim()).as("comes before its turn").isFalse();
      TimeUnit.MILLISECONDS.sleep(500); // for what else wakes it
      calls.set(0);
      first.exchange(List.of(), List.of(), Demand.NONE);
      Awaitility.await().until(() -> calls.get() > 0);
      assertThat(second.claim()).isTrue();
    }

    @Test
    void slotsAreKeptForAJob_oneOfEachGroupAndNoMore() throws Exception {
      Hands worker = new Hands(4);
      submit(ONE, 1);
      assertThat(worker.claim()).isTrue();
      UUID both = submitKept();
      sluice.submitAll(WIDE, Collections.nCopies(10, 1), options -> options.priority(9));
      assertThat(kept()).isEqualTo(1);
      worker.claim();
      assertThat(worker.jobs).as("one of three slots is kept").hasSize(3);
      assertThat(worker.goOn()).as("once the other group has room").isTrue();
      assertThat(worker.jobs).extracting(ClaimedJob::id).contains(both);
      assertThat(kept()).isZero();
    }

    @Test
    void slotsAreKeptForAJob_notWhileOneOfItsGroupsIsHeld() throws Exception {
      Hands worker = new Hands(4);
      submit(ONE, 1);
      assertThat(worker.claim()).isTrue();
      submitKept();
      limit(ONE, 0);
      submit(WIDE, 10);
      worker.claim();
      assertThat(worker.jobs).hasSize(4);
    }

    @Test
    void slotsAreKeptForAJob_itComesBeforeAWorkerInLineThatDoesNotHandleIt() throws Exception {
      Hands worker = new Hands(1);
      Hands other = new Hands(1, List.of(ONE));
      submit(ONE, 1);
      assertThat(worker.claim()).isTrue();
      UUID both = submitKept();
      submit(ONE, 3);
      assertThat(other.claim()).isFalse();
      assertThat(asks()).isEqualTo(1);
      assertThat(worker.goOn()).isTrue();
      assertThat(worker.jobs).extracting(ClaimedJob::id).containsExactly(both);
    }

    @Test
    void jobHasStarted_isNotOnRecordAsPassedOverThoughClaimsLeaveOthers() {
      Hands holder = new Hands(1);
      submit(ONE, 1);
      assertThat(holder.claim()).isTrue();
      fixture.execute(
          "INSERT INTO ${schema}.reservation (job_id, groups) VALUES (gen_random_uuid(), '{one,wide}')");
      sluice.submit(WIDE, 1, options -> options.concurrencyGroup("one"));
      submit(WIDE, 1);
      Hands worker = new Hands(2);
      Answer answer = worker.exchange(List.of(), List.of(), worker.demand(Map.of()));
      assertThat(worker.jobs).hasSize(1);
      assertThat(answer.nextDue()).as("a job was left").hasValue(Duration.ZERO);
      assertThat(
              fixture.number(
                  "SELECT count(*) FROM ${schema}.reservation WHERE job_id NOT IN (SELECT id FROM ${schema}.job)"))
          .isZero();
    }

    @Test
    void workIsDone_noAskIsLeft() {
      submit(ONE, 60);
      sluice.submitAll(
          WIDE, Collections.nCopies(30, 1), options -> options.concurrencyGroup("one"));
      AtomicInteger done = new AtomicInteger();
      for (int i = 0; i < 4; i++) {
        workers.add(
            sluice
                .worker()
                .handle(
                    ONE, (n, job) -> TimeUnit.MILLISECONDS.sleep(10 + done.incrementAndGet() % 50))
                .handle(
                    WIDE, (n, job) -> TimeUnit.MILLISECONDS.sleep(10 + done.incrementAndGet() % 50))
                .start());
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> done.get() == 90);
      Awaitility.await()
          .untilAsserted(
              () -> {
                assertThat(asks()).as("asks").isZero();
                assertThat(fixture.number("SELECT count(*) FROM ${schema}.ask"))
                    .as("asks and turns")
                    .isZero();
                assertThat(kept()).as("jobs slots are kept for").isZero();
              });
    }

    /** Submits a job in both groups, for which slots are kept from now on. */
    private UUID submitKept() {
      UUID both = sluice.submit(WIDE, 1, options -> options.concurrencyGroup("one")).id();
      fixture.execute(
          """
          INSERT INTO ${schema}.reservation (job_id, groups, until, rests_until)
          VALUES ('%s', '{one,wide}', clock_timestamp() + interval '1 minute', 'infinity')
          """
              .formatted(both));
      return both;
    }

    private void submit(Task<Integer> task, int jobs) {
      sluice.submitAll(task, Collections.nCopies(jobs, 1));
    }

    private void limit(Task<Integer> task, int limit) {
      store
          .limits()
          .setLimit(Group.of(task.name()), LimitLevel.OPERATOR, OptionalInt.of(limit), "test");
    }

    private long asks() throws SQLException {
      return fixture.number("SELECT count(*) FROM ${schema}.ask WHERE turn_ends IS NULL");
    }

    private long kept() throws SQLException {
      return fixture.number(
          "SELECT count(*) FROM ${schema}.reservation r WHERE ${schema}.is_kept(r)");
    }

    /** A worker of some threads, moved by hand. */
    private final class Hands {
      private final int threads;
      private final List<Task<Integer>> tasks;
      private final WorkerSession session;
      private final List<ClaimedJob> jobs = new ArrayList<>();
      private final List<HeldSlot> slots = new ArrayList<>();

      Hands(int threads) {
        this(threads, List.of(ONE, WIDE));
      }

      Hands(int threads, List<Task<Integer>> tasks) {
        this.threads = threads;
        this.tasks = tasks;
        this.session =
            store.openSession(
                new WorkerRegistration(
                    "w",
                    Set.of("default"),
                    tasks.stream().map(Task::name).collect(Collectors.toSet()),
                    tasks.stream()
                        .collect(
                            Collectors.toMap(Task::group, task -> task.maxConcurrent().getAsInt())),
                    Duration.ofMinutes(5)));
        sessions.add(session);
      }

      /** Looks for jobs until there is no more to be had at once; whether it got any. */
      boolean claim() {
        int before = jobs.size();
        Answer answer;
        do {
          answer = exchange(List.of(), List.of(), demand(Map.of()));
        } while (jobs.size() < threads && answer.nextDue().equals(Optional.of(Duration.ZERO)));
        return jobs.size() > before;
      }

      /** Ends its first job and goes on in the slot; gives it back if that brought no job. */
      boolean goOn() {
        ClaimedJob done = jobs.remove(0);
        JobOutcome outcome =
            new JobOutcome(
                done.id(), done.token(), new JobOutcome.Succeeded(Optional.empty()), Duration.ZERO);
        Map<String, Integer> spare = new HashMap<>();
        done.gates().forEach(gate -> spare.put(gate, 1));
        int before = jobs.size();
        exchange(List.of(outcome), List.of(), demand(spare));
        if (jobs.size() > before) {
          return true;
        }
        List<HeldSlot> idle =
            slots.stream().filter(slot -> done.gates().contains(slot.group())).limit(1).toList();
        if (!idle.isEmpty()) {
          slots.removeAll(idle);
          exchange(List.of(), idle, demand(Map.of()));
        }
        return jobs.size() > before;
      }

      private Demand demand(Map<String, Integer> spare) {
        int room = threads - jobs.size();
        return room == 0
            ? Demand.NONE
            : new Demand(
                room,
                tasks.stream().map(task -> new TaskDemand(task.name(), room, 0)).toList(),
                spare);
      }

      Answer exchange(Collection<JobOutcome> outcomes, List<HeldSlot> released, Demand demand) {
        Answer answer =
            session.exchange(
                new Exchange(List.copyOf(outcomes), Set.of(), Map.of(), released, demand));
        while (answer.stale()) {
          session.reconcile(known());
          answer = session.exchange(new Exchange(List.of(), Set.of(), Map.of(), List.of(), demand));
        }
        jobs.addAll(answer.jobs());
        slots.addAll(answer.slots());
        return answer;
      }

      private Map<UUID, Long> known() {
        return jobs.stream().collect(Collectors.toMap(ClaimedJob::id, ClaimedJob::token));
      }
    }
  }
}
