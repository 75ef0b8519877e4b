package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.WorkerSession;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What several shards do beyond the contract: spread, keep together, and fail one at a time. */
@Timeout(60)
class ShardedJobStoreTest {
  private static final int SHARDS = 3;
  private static final String NAMESPACE = "sharded";
  private static final byte[] DAMAGE = "{ damage".getBytes(StandardCharsets.UTF_8);

  private final String name = UUID.randomUUID().toString();
  private final MemoryObjectStore objects = MemoryObjectStore.open(name);
  private final Sluice sluice = open("?shards=" + SHARDS);
  private final Task<Integer> one = Task.named("one", Integer.class).build();
  private final Task<Integer> other = taskApartFrom(one);

  private Sluice open(String options) {
    return Sluice.open(SluiceOptions.url("memory:" + name + options).schema(NAMESPACE));
  }

  @AfterEach
  void close() {
    sluice.close();
    objects.close();
  }

  private int homeOf(Task<Integer> task) {
    sluice.submit(task, 0);
    return shardOf(task.name());
  }

  private int shardOf(String task) {
    StoreThreads threads = new StoreThreads("unused");
    try {
      ObjectStore root = new PrefixedObjectStore(objects, NAMESPACE);
      return new Homes(root, threads.environment(), SHARDS).find(task).orElseThrow();
    } finally {
      threads.close();
    }
  }

  /** A task that lives in another shard than this one; a job of each has been submitted. */
  private Task<Integer> taskApartFrom(Task<Integer> task) {
    int home = homeOf(task);
    return IntStream.range(0, 100)
        .mapToObj(i -> Task.named("other" + i, Integer.class).build())
        .filter(candidate -> homeOf(candidate) != home)
        .findFirst()
        .orElseThrow();
  }

  private String controlOf(Task<?> task) {
    return "%s/shards/%d/control.json".formatted(NAMESPACE, shardOf(task.name()));
  }

  /** Puts this in place of an object, whoever writes it at the same moment; what was there. */
  private byte[] overwrite(String key, byte[] body) {
    while (true) {
      StoredObject before = objects.get(key).orElseThrow();
      if (objects.putIfMatch(key, ObjectBody.withoutToken(body), before.tag())
          instanceof PutResult.Stored) {
        return before.body();
      }
    }
  }

  private JobState stateOf(UUID id) {
    return sluice.jobs().get(id).map(JobInfo::state).orElseThrow();
  }

  @Test
  void tasks_spreadOverTheShards() {
    Set<Integer> homes =
        IntStream.range(0, 20)
            .mapToObj(i -> homeOf(Task.named("spread" + i, Integer.class).build()))
            .collect(Collectors.toSet());
    assertThat(homes).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void namesFirstUsedTogether_liveTogether() {
    List<String> tasks = IntStream.range(0, 8).mapToObj(i -> "together" + i).toList();
    Group group = Group.of("database");
    sluice.concurrency().setLimit(group, 1);
    for (String task : tasks) {
      sluice.submit(
          Task.named(task, Integer.class).build(),
          0,
          options -> options.concurrencyGroup("database"));
    }

    assertThat(tasks).extracting(this::shardOf).containsOnly(shardOf("database"));
    assertThat(sluice.concurrency().status(group).waiting()).isEqualTo(tasks.size());
    assertThat(sluice.concurrency().status(group).limit()).hasValue(1);
  }

  @Test
  void namesThatMeetLate_areRefusedAndNothingIsStored() {
    long before = sluice.jobs().counts().get(JobState.READY);

    assertThatThrownBy(
            () -> sluice.submit(one, 1, options -> options.concurrencyGroup(other.name())))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'one'")
        .hasMessageContaining("'" + other.name() + "'")
        .hasMessageContaining("single shard");

    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, before);
  }

  @Test
  void numberOfShards_cannotChange() {
    assertThatThrownBy(() -> open("?shards=2"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("has 3 shards")
        .hasMessageContaining("shards=2");
    Sluice withoutSaying = open("");
    assertThat(withoutSaying.jobs().counts()).isEqualTo(sluice.jobs().counts());
    withoutSaying.close();
  }

  @Test
  void damagedShard_othersGoOnAndItsOutcomesWaitUntilItIsMended() {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (Worker worker =
        sluice
            .worker()
            .handle(
                one,
                (number, ctx) -> {
                  if (number == 1) {
                    running.countDown();
                    goOn.await();
                  }
                })
            .handle(other, (number, ctx) -> {})
            .start()) {
      UUID held = sluice.submit(one, 1).id();
      await().until(() -> running.getCount() == 0);

      byte[] intact = overwrite(controlOf(one), DAMAGE);
      goOn.countDown();
      UUID elsewhere = sluice.submit(other, 2).id();
      await().until(() -> stateOf(elsewhere) == JobState.SUCCEEDED);
      assertThatThrownBy(() -> sluice.jobs().get(held))
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContaining("control.json");

      overwrite(controlOf(one), intact);
      await().until(() -> stateOf(held) == JobState.SUCCEEDED);
      assertThat(sluice.jobs().get(held).orElseThrow().progress().attempt()).isEqualTo(1);
      UUID after = sluice.submit(one, 3).id();
      await().until(() -> stateOf(after) == JobState.SUCCEEDED);
    }
  }

  @Test
  void workerSigningOnWhileAShardIsDamaged_servesTheOthersAndThenAll() {
    UUID waiting = sluice.submit(one, 1).id();
    sluice.concurrency().setLimit("one", 5);
    byte[] intact = overwrite(controlOf(one), DAMAGE);
    CountDownLatch served = new CountDownLatch(1);
    try (Worker worker =
        sluice
            .worker()
            .handle(one, (number, ctx) -> {})
            .handle(other, (number, ctx) -> served.countDown())
            .start()) {
      await().until(() -> served.getCount() == 0);

      overwrite(controlOf(one), intact);
      await().until(() -> stateOf(waiting) == JobState.SUCCEEDED);
    }
  }

  /** A limit that only a worker declares was not in a shard that this worker had not joined. */
  @Test
  void declaredLimit_ofTaskWithoutHome_countsWhereverItComesToLive() {
    for (int i = 0; i < 2 * SHARDS; i++) {
      String task = "declared" + i;
      try (JobStore one = openStore();
          JobStore another = openStore()) {
        one.openSession(StoreCalls.worker(Set.of(task), Map.of(Group.of(task), 1)));
        WorkerSession undeclared = another.openSession(StoreCalls.worker(Set.of(task), Map.of()));
        one.submit(List.of(StoreCalls.job(task), StoreCalls.job(task), StoreCalls.job(task)));

        undeclared.reconcile(Map.of());
        Answer answer = undeclared.exchange(StoreCalls.ask(task, 3));
        if (answer.stale()) {
          undeclared.reconcile(Map.of());
          answer = undeclared.exchange(StoreCalls.ask(task, 3));
        }
        assertThat(answer.jobs()).as(task).hasSize(1);
      }
    }
  }

  /**
   * What a worker reads once for all shards it may have read before the shard it comes to had that
   * on record, and nothing there would ever tell it.
   */
  @Test
  void workerThatJoinsAShard_reconcilesBeforeItIsGivenAnything() {
    int joined = 0;
    for (int i = 0; i < 2 * SHARDS; i++) {
      String task = "joined" + i;
      try (JobStore store = openStore()) {
        WorkerSession session = store.openSession(StoreCalls.worker(Set.of(task), Map.of()));
        store.submit(List.of(StoreCalls.job(task)));

        Answer first = session.exchange(StoreCalls.ask(task, 1));
        if (first.stale()) {
          joined++;
          assertThat(first.jobs()).as(task).isEmpty();
          session.reconcile(Map.of());
          first = session.exchange(StoreCalls.ask(task, 1));
        }
        assertThat(first.jobs()).as(task).hasSize(1);
      }
    }
    assertThat(joined).as("tasks that came to live elsewhere than the worker").isPositive();
  }

  /** A worker that learnt a limit reported and claimed nothing while one shard was damaged. */
  @Test
  void declareWhileAShardIsDamaged_othersGoOnAndItIsToldBeforeItGivesJobs() {
    try (JobStore store = openStore()) {
      WorkerSession session =
          store.openSession(StoreCalls.worker(Set.of(one.name(), other.name()), Map.of()));
      store.submit(List.of(StoreCalls.job(one.name()), StoreCalls.job(one.name())));
      byte[] intact = overwrite(controlOf(one), DAMAGE);

      session.declare(Map.of(Group.of(one.name()), 1, Group.of(other.name()), 1));
      await().until(() -> !claim(session, other.name(), 1).isEmpty());

      overwrite(controlOf(one), intact);
      List<ClaimedJob> jobs =
          await().until(() -> claim(session, one.name(), 3), claimed -> !claimed.isEmpty());
      assertThat(jobs).as("the limit is 1").hasSize(1);
    }
  }

  private static List<ClaimedJob> claim(WorkerSession session, String task, int jobs) {
    Answer answer = session.exchange(StoreCalls.ask(task, jobs));
    if (answer.stale()) {
      session.reconcile(Map.of());
    }
    return answer.jobs();
  }

  /** The tokens of a shard that was joined after a declaration began below what had been seen. */
  @Test
  void declare_tokensOfShardsJoinedLater_areAboveWhatTheWorkerHasSeen() {
    long seen = 1_000_000;
    Set<String> tasks =
        IntStream.range(0, 20).mapToObj(i -> "late" + i).collect(Collectors.toSet());
    try (JobStore store = openStore()) {
      WorkerSession session = store.openSession(StoreCalls.worker(tasks, Map.of()).seen(seen));
      session.declare(Map.of(Group.of("late0"), 5));
      store.submit(tasks.stream().map(StoreCalls::job).toList());

      for (String task : tasks) {
        List<ClaimedJob> jobs =
            await().until(() -> claim(session, task, 1), claimed -> !claimed.isEmpty());
        assertThat(jobs.get(0).token()).as("shard %d", shardOf(task)).isGreaterThan(seen);
      }
    }
  }

  private JobStore openStore() {
    return StoreProviders.open("memory:" + name, new StoreSettings(NAMESPACE, 1));
  }

  /** A worker that had nothing to say to a shard did not hear that limits had changed there. */
  @Test
  void busyWorker_pollsWithNothingToSay_hearsOfChangedLimits() {
    try (JobStore store = openStore()) {
      WorkerSession session =
          store.openSession(StoreCalls.worker(Set.of(one.name(), other.name()), Map.of()));
      assertThat(session.exchange(StoreCalls.ask(one.name(), 1)).jobs()).hasSize(1);

      sluice.concurrency().setLimit(one.name(), 1);

      assertThat(session.exchange(StoreCalls.report(List.of(), Demand.NONE)).stale()).isTrue();
    }
  }

  /** A worker that other shards keep busy left its ask standing where it had no more to say. */
  @Test
  void workerFilledByAnotherShard_takesBackWhatItAskedFor() {
    try (JobStore store = openStore()) {
      store.submit(List.of(StoreCalls.job(one.name()), StoreCalls.job(one.name())));
      Map<Group, Integer> limits = Map.of(Group.of(one.name()), 1);
      WorkerSession holder = store.openSession(StoreCalls.worker(Set.of(one.name()), limits));
      assertThat(holder.exchange(StoreCalls.ask(one.name(), 1)).jobs()).hasSize(1);
      WorkerSession asking =
          store.openSession(StoreCalls.worker(Set.of(one.name(), other.name()), limits));
      assertThat(asking.exchange(StoreCalls.ask(one.name(), 1)).jobs()).isEmpty();
      assertThat(hasAsks()).isTrue();

      assertThat(asking.exchange(StoreCalls.ask(other.name(), 1)).jobs()).hasSize(1);
      await()
          .until(
              () -> {
                asking.exchange(StoreCalls.report(List.of(), Demand.NONE));
                return !hasAsks();
              });
    }
  }

  private boolean hasAsks() {
    byte[] control = objects.get(controlOf(one)).orElseThrow().body();
    return new String(control, StandardCharsets.UTF_8).contains("\"asks\"");
  }
}
