package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.SlotLease;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many workers take and give back slots of the same keys, hundreds in one transaction. */
class KeyedClaimsIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final int JOBS = 12_000;
  private static final int KEYS = 3_000;
  private static final int WORKERS = 4;
  private static final Task<Integer> ONE_PER_KEY =
      Task.named("t", Integer.class).maxConcurrentPer("key", n -> n, 1).build();
  private static final Demand MANY =
      new Demand(200, List.of(new TaskDemand("t", 200, 50)), Map.of());
  private static final Demand ONE = new Demand(1, List.of(new TaskDemand("t", 1, 0)), Map.of());
  private static final Group KEY_1 = Group.of("t").dimension("key", "1");

  private PostgresFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }

  @Test
  void sameKeysOnAllWorkers_nobodyWaitsInACircle() throws SQLException {
    Task<Integer> task =
        Task.named("t", Integer.class).maxConcurrentPer("key", n -> n % KEYS, 1).build();
    long before = deadlocks();
    try (Sluice sluice = Sluice.open(fixture.options())) {
      sluice.submitAll(task, IntStream.range(0, JOBS).boxed().toList());
      List<Sluice> processes = new ArrayList<>();
      try {
        for (int i = 0; i < WORKERS; i++) {
          Sluice process = Sluice.open(fixture.options());
          processes.add(process);
          process.worker().concurrency(25).handle(task, (n, job) -> {}).start();
        }
        Awaitility.await()
            .atMost(Duration.ofMinutes(2))
            .until(() -> sluice.jobs().counts().getOrDefault(JobState.SUCCEEDED, 0L) == JOBS);
      } finally {
        processes.forEach(Sluice::close);
      }
    }
    assertThat(deadlocks() - before).as("deadlocks the server had to break").isZero();
  }

  /**
   * A claim that looks at the line by an old snapshot locks jobs that were set aside since. Here
   * the test has such a lock, while the permit they wait for is given back.
   */
  @Test
  void jobAsideIsLocked_releasedPermitCallsItBack() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Sluice sluice = Sluice.open(fixture.options());
        Connection claim = fixture.openConnection()) {
      sluice.submit(ONE_PER_KEY, 1);
      SlotLease slot =
          sluice
              .concurrency()
              .tryAcquire(KEY_1, OptionalInt.of(1), "holder", "process", Duration.ofMinutes(5))
              .orElseThrow();
      execute(claim, "UPDATE %s.job SET lane = '*' || groups[1], shard = 0");
      claim.setAutoCommit(false);
      execute(claim, "SELECT FROM %s.job FOR UPDATE");

      Future<?> release = other.submit(() -> sluice.concurrency().release(slot));
      Awaitility.await()
          .until(
              () ->
                  release.isDone()
                      || fixture.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
      claim.commit();
      release.get();

      assertThat(fixture.number("SELECT count(*) FROM ${schema}.job WHERE state = 1 AND lane = ''"))
          .as("jobs that stand in line")
          .isOne();
    } finally {
      other.shutdownNow();
    }
  }

  /** The same in an exchange, which does not wait: the next one calls the job back. */
  @Test
  void jobAsideIsLocked_nextExchangeCallsItBack() throws Exception {
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(worker(KEY_1.family().orElseThrow(), 1));
        Connection claim = fixture.openConnection()) {
      Answer first = claimOneOf(sluice, session, 2);
      lockJobsAside(claim);

      assertThat(session.exchange(finish(first, Demand.NONE)).nextDue())
          .as("when to ask again")
          .contains(Duration.ZERO);
      claim.commit();

      assertThat(session.exchange(ask(ONE)).jobs()).hasSize(1);
    }
  }

  @Test
  void jobAsideIsLocked_signOffCallsItBack() throws Exception {
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        Connection claim = fixture.openConnection()) {
      try (WorkerSession session = store.openSession(worker(KEY_1.family().orElseThrow(), 1))) {
        Answer first = claimOneOf(sluice, session, 2);
        lockJobsAside(claim);
        session.exchange(finish(first, Demand.NONE));
        claim.commit();
      }

      assertThat(fixture.number("SELECT count(*) FROM ${schema}.job WHERE state = 1 AND lane = ''"))
          .as("jobs that stand in line")
          .isOne();
    }
  }

  /** When the slot comes free for good, the job is in line already: no call-back tells of it. */
  @Test
  void slotIsPassedOnAndThenGivenBack_sleeperIsWoken() throws Exception {
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        WorkerSession busy = store.openSession(worker(KEY_1.family().orElseThrow(), 1));
        WorkerSession sleeper = store.openSession(worker(KEY_1.family().orElseThrow(), 1))) {
      Answer first = claimOneOf(sluice, busy, 3);
      CountDownLatch woken = new CountDownLatch(1);
      sleeper.onWake(woken::countDown);
      assertThat(sleeper.exchange(ask(ONE)).jobs()).isEmpty();
      // Without room it does not stand in line for the slot, so the busy worker goes on in it.
      sleeper.exchange(ask(Demand.NONE));

      Answer second = busy.exchange(finish(first, ONE));
      assertThat(second.jobs()).hasSize(1);
      assertThat(fixture.number("SELECT count(*) FROM ${schema}.job WHERE state = 1 AND lane = ''"))
          .as("jobs that stand in line")
          .isOne();
      busy.exchange(finish(second, Demand.NONE));

      assertThat(woken.await(10, TimeUnit.SECONDS)).as("woken").isTrue();
    }
  }

  /**
   * A claim that looks at whole lines takes 128 jobs, one that keeps to a shard as many as it may.
   */
  @Test
  void claimsOfManyJobs_keepToShardsThatTheWorkersDivide() throws Exception {
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        WorkerSession one = store.openSession(worker(KEY_1.family().orElseThrow(), 1));
        WorkerSession other = store.openSession(worker(KEY_1.family().orElseThrow(), 1))) {
      sluice.submitAll(
          ONE_PER_KEY, IntStream.range(0, 40_000).map(n -> n % 4_000).boxed().toList());
      List<Long> shardsOfOne = new ArrayList<>();
      List<Long> shardsOfOther = new ArrayList<>();
      Answer atOne = one.exchange(ask(MANY));
      Answer atOther = other.exchange(ask(MANY));
      while (Math.min(shardsOfOne.size(), shardsOfOther.size()) < 20) {
        atOne = one.exchange(finish(atOne, MANY));
        shardOf(atOne).ifPresent(shardsOfOne::add);
        atOther = other.exchange(finish(atOther, MANY));
        shardOf(atOther).ifPresent(shardsOfOther::add);
        assertThat(atOne.jobs().size() + atOther.jobs().size())
            .as("jobs of two claims")
            .isPositive();
      }

      assertThat(shardsOfOne)
          .as("shards of two workers")
          .doesNotContainAnyElementsOf(shardsOfOther);
    }
  }

  /** The shard of a claim that kept to one, as every claim must that got all it asked for. */
  private Optional<Long> shardOf(Answer answer) throws Exception {
    if (answer.jobs().size() < MANY.jobs()) {
      return Optional.empty();
    }
    long token = answer.jobs().get(0).token();
    assertThat(numberOfShards("count(DISTINCT %s)", token)).as("shards of a claim").isOne();
    return Optional.of(numberOfShards("min(%s)", token));
  }

  private long numberOfShards(String what, long token) throws Exception {
    return fixture.number(
        "SELECT %s FROM ${schema}.job WHERE token = %d"
            .formatted(what.formatted("hashtext(groups[1]) & 7"), token));
  }

  /** A worker that keeps to a shard does not see what comes into the others at first. */
  @Test
  void urgentJobOfAnyShard_isClaimedWhenWholeLinesAreLookedAt() throws Exception {
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(worker(KEY_1.family().orElseThrow(), 1))) {
      sluice.submitAll(ONE_PER_KEY, IntStream.range(0, 10_000).boxed().toList());
      Awaitility.await().until(() -> session.exchange(ask(MANY)).jobs().size() == MANY.jobs());
      List<UUID> urgent = new ArrayList<>();
      for (int key = 10_000; key < 10_032; key++) {
        urgent.add(sluice.submit(ONE_PER_KEY, key, options -> options.priority(1)).id());
      }

      Set<UUID> claimed = new HashSet<>();
      Awaitility.await()
          .until(
              () -> {
                session.exchange(ask(new Demand(64, MANY.tasks(), Map.of()))).jobs().stream()
                    .map(ClaimedJob::id)
                    .forEach(claimed::add);
                return claimed.containsAll(urgent);
              });
      assertThat(fixture.number("SELECT count(*) FROM ${schema}.job WHERE state = 1"))
          .as("jobs of the backlog that still wait")
          .isPositive();
    }
  }

  /** A claim in a shard: a slot that came free goes before one in which a job may run for long. */
  @Test
  void severalSlotsOfAKey_freeOneIsNamedFirst() throws Exception {
    Group family = KEY_1.family().orElseThrow();
    Task<Integer> task =
        Task.named("t", Integer.class).maxConcurrentPer("key", n -> n % 300, 2).build();
    Demand few = new Demand(64, List.of(new TaskDemand("t", 64, 0)), Map.of());
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(worker(family, 2))) {
      sluice.submitAll(task, IntStream.range(0, 9_000).boxed().toList());
      List<ClaimedJob> held = new ArrayList<>(session.exchange(ask(few)).jobs());
      int shared = 0;
      for (int i = 0; i < 60; i++) {
        // Of each key one job ends at most: where two were claimed, the other goes on.
        Set<String> keys = new HashSet<>();
        List<ClaimedJob> ended =
            held.stream().filter(job -> keys.add(named(job).group())).limit(50).toList();
        held.removeAll(ended);
        Answer answer =
            session.exchange(
                finish(
                    new Answer(Set.of(), ended, List.of(), false, Optional.empty(), Set.of()),
                    few));
        held.addAll(answer.jobs());
        Set<ClaimedJob.NamedSlot> slots = new HashSet<>();
        assertThat(held)
            .as("jobs, each in a slot of its own")
            .allMatch(job -> slots.add(named(job)));
        shared +=
            held.size() - (int) held.stream().map(job -> named(job).group()).distinct().count();
      }
      assertThat(shared).as("jobs beside another of their key").isPositive();
    }
  }

  private static ClaimedJob.NamedSlot named(ClaimedJob job) {
    return job.bond().named().get(0);
  }

  /** Jobs of a full key in front of a shard, and jobs of other keys behind them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void crowdOfAFullKeyInAShard_othersBehindItGoOn(int limit) throws Exception {
    Demand many = new Demand(200, List.of(new TaskDemand("t", 200, 0)), Map.of());
    Group family = KEY_1.family().orElseThrow();
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(worker(family, limit))) {
      sluice.submitAll(ONE_PER_KEY, Collections.nCopies(5_000, 1));
      // Each worker that claims one of them has a slot of the key; the last one goes on.
      for (int i = 1; i < limit; i++) {
        try (JobStore other = fixture.openStore()) {
          WorkerSession holder = other.openSession(otherWorker(family, limit));
          assertThat(holder.exchange(ask(ONE)).jobs()).hasSize(1);
        }
      }
      session.reconcile(Map.of());
      assertThat(session.exchange(ask(ONE)).jobs()).hasSize(1);
      sluice.submitAll(ONE_PER_KEY, IntStream.range(2, 20_002).boxed().toList());
      long shard = fixture.number("SELECT hashtext('%s') & 7".formatted(KEY_1));
      String behind =
          """
          SELECT count(*) FROM ${schema}.job
          WHERE state = 1 AND hashtext(groups[1]) & 7 = %d AND groups[1] <> '%s'
            AND payload::text::integer < 20002
          """
              .formatted(shard, KEY_1);
      long before = fixture.number(behind);
      // Other shards never run out of jobs, so nothing but the crowd has the worker look at all
      // lines.
      int next = 20_002;
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      Answer answer = session.exchange(ask(many));
      while (fixture.number(behind) >= before / 2) {
        assertThat(System.nanoTime()).as("time until those behind are claimed").isLessThan(end);
        int claimed = answer.jobs().size();
        assertThat(claimed).as("jobs of a claim").isPositive();
        sluice.submitAll(ONE_PER_KEY, IntStream.range(next, next + claimed).boxed().toList());
        next += claimed;
        answer = session.exchange(finish(answer, many));
      }
    }
  }

  /** More keys than a claim may hold latches of, none of which has a limit. */
  @Test
  void manyKeysWithoutLimit_limitedJobsAreClaimedAllTheSame() {
    Task<Integer> task =
        Task.named("t", Integer.class).maxConcurrentPer("tenant", n -> n % 200, 5).build();
    try (Sluice sluice = Sluice.open(fixture.options());
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(worker(Group.of("t").anyValueOf("tenant"), 5))) {
      for (int i = 0; i < 600; i++) {
        String order = "order-" + i;
        sluice.submit(task, i, options -> options.concurrencyKey(order));
      }
      Demand demand = new Demand(500, List.of(new TaskDemand("t", 500, 0)), Map.of());
      List<Integer> claims = new ArrayList<>();
      do {
        claims.add(session.exchange(ask(demand)).jobs().size());
        assertThat(claims).as("jobs claimed").last().isNotEqualTo(0);
      } while (claims.stream().mapToInt(Integer::intValue).sum() < 600);
    }
  }

  /** Claims one of so many jobs of a key, which sets the others aside. */
  private Answer claimOneOf(Sluice sluice, WorkerSession session, int jobs) throws SQLException {
    sluice.submitAll(ONE_PER_KEY, Collections.nCopies(jobs, 1));
    Answer first = session.exchange(ask(ONE));
    assertThat(first.jobs()).hasSize(1);
    session.exchange(ask(ONE));
    assertThat(fixture.number("SELECT count(*) FROM ${schema}.job WHERE lane = '*' || groups[1]"))
        .as("jobs set aside")
        .isEqualTo(jobs - 1);
    return first;
  }

  private void lockJobsAside(Connection claim) throws SQLException {
    claim.setAutoCommit(false);
    execute(claim, "SELECT FROM %s.job WHERE state = 1 FOR UPDATE");
  }

  private static Exchange ask(Demand demand) {
    return new Exchange(List.of(), Set.of(), Map.of(), List.of(), demand);
  }

  /** Reports the success of what was claimed and gives its slots back. */
  private static Exchange finish(Answer claimed, Demand demand) {
    List<JobOutcome> outcomes =
        claimed.jobs().stream()
            .map(
                done ->
                    new JobOutcome(
                        done.id(),
                        done.token(),
                        new JobOutcome.Succeeded(Optional.empty()),
                        Duration.ZERO))
            .toList();
    return new Exchange(outcomes, Set.of(), Map.of(), claimed.slots(), demand);
  }

  private static WorkerRegistration worker(Group family, int limit) {
    return new WorkerRegistration(
        "w", Set.of("default"), Set.of("t"), Map.of(family, limit), Duration.ofMinutes(5));
  }

  /** One that takes no part in how workers divide the shards: it serves another queue too. */
  private static WorkerRegistration otherWorker(Group family, int limit) {
    return new WorkerRegistration(
        "other",
        Set.of("default", "more"),
        Set.of("t"),
        Map.of(family, limit),
        Duration.ofMinutes(5));
  }

  private void execute(Connection connection, String command) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(command.formatted(fixture.namespace()));
    }
  }

  private long deadlocks() throws SQLException {
    return fixture.number(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
  }
}
