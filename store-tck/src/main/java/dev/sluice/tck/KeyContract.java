package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.Job;
import dev.sluice.JobContext;
import dev.sluice.JobState;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.TaskName;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.TaskDemand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Limits per key: class style, per dimension, submit-side groups, and names of any characters. */
abstract class KeyContract extends ContractTopic {
  private static final List<String> STRANGE_NAMES =
      List.of(
          "a",
          "b",
          "a/b",
          "a%2Fb",
          "A",
          "a ",
          " a",
          "x=1",
          "x",
          "1",
          "100%",
          "*",
          "a/*",
          "x=*",
          "it's",
          "\"quoted\"",
          "back\\slash",
          "semi;colon--",
          "$1",
          "?",
          "{json}",
          "tab\there",
          "new\nline",
          "é",
          "e\u0301",
          "日本語",
          "😀",
          "ß",
          "ss",
          "null",
          "%",
          "_",
          "a.b:c#d");

  KeyContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  record Account(String tenant, String region) {}

  private static Task<Integer> perKey(String name, int limit) {
    return Task.named(name, Integer.class).maxConcurrentPerKey(limit).build();
  }

  private List<ClaimedJob> claim(Task<?> task, int room) {
    return manualWorker(task).claimAll(task.name(), room);
  }

  @TaskName("keyed")
  record OnePerKey(int n) implements Job {
    @Override
    public String concurrencyKey() {
      return "key-" + n;
    }

    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(1);
    }

    @Override
    public void run(JobContext context) {}
  }

  @Test
  void thousandKeysOfLimitOne_eachRunsItsOwn() {
    Task<OnePerKey> task = Task.of(OnePerKey.class);
    for (int round = 0; round < 2; round++) {
      sluice.submitAll(IntStream.range(0, 1_000).mapToObj(OnePerKey::new).toList());
    }
    ManualWorker worker = manualWorker(task);

    List<ClaimedJob> first = worker.claimAll("keyed", 3_000);
    assertThat(first).hasSize(1_000);
    assertThat(payloads(first)).hasSize(1_000);
    assertThat(first).allMatch(job -> job.bond().limited().size() == 1);
    assertThat(worker.succeedAll(first)).hasSize(1_000);
    List<ClaimedJob> second = worker.claimAll("keyed", 3_000);
    assertThat(payloads(second)).hasSize(1_000);
    worker.succeedAll(second);
    assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 2_000L);
    assertThat(active(Group.of("keyed").key("key-7"))).isZero();
  }

  private static Set<String> payloads(List<ClaimedJob> jobs) {
    Set<String> payloads = new HashSet<>();
    jobs.forEach(job -> payloads.add(job.payload()));
    return payloads;
  }

  @Test
  void keysUnderLoad_neverTwoOfOneKeyAtOnce() {
    Task<Integer> task = perKey("keyed", 1);
    OverlapMeter meter = new OverlapMeter();
    for (int i = 0; i < 400; i++) {
      String key = "key-" + i % 10;
      sluice.submit(task, i % 10, o -> o.concurrencyKey(key));
    }
    for (int i = 0; i < 3; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  task,
                  (payload, context) -> {
                    try (OverlapMeter.Run run = meter.begin("key-" + payload)) {
                      TimeUnit.MICROSECONDS.sleep(500);
                    }
                  })
              .start());
    }

    awaitCount(JobState.SUCCEEDED, 400);
    for (int key = 0; key < 10; key++) {
      assertThat(meter.count("key-" + key)).isEqualTo(40);
      assertThat(meter.peak("key-" + key)).isEqualTo(1);
    }
  }

  @Test
  void uniquePerKey_runsOneJobOfEachKeyAtATime_andAllOfThem() {
    Task<Integer> task = Task.named("sync", Integer.class).uniquePerKey().build();
    ManualWorker worker = manualWorker(task);
    for (int i = 0; i < 3; i++) {
      submit(task, o -> o.concurrencyKey("17"));
      submit(task, o -> o.concurrencyKey("18"));
    }

    for (int round = 0; round < 3; round++) {
      List<ClaimedJob> running = worker.claimAll("sync", 10);
      assertThat(running)
          .extracting(job -> job.bond().limited())
          .containsExactlyInAnyOrder(List.of("sync/17"), List.of("sync/18"));
      assertThat(worker.succeedAll(running)).hasSize(2);
    }
    assertThat(worker.claimAll("sync", 10)).isEmpty();
    assertThat(sluice.jobs().counts()).containsEntry(JobState.SUCCEEDED, 6L);
  }

  /** A store took the key of such a job for a group whose slots its worker has to hold. */
  @Test
  void keyWithoutALimit_keepsNoJobFromItsWorker() {
    Task<Integer> task = task("free");
    List<UUID> jobs = submit(task, 3, o -> o.concurrencyKey("k"));
    ManualWorker worker = manualWorker(task);
    List<ClaimedJob> claimed = worker.claimAll("free", 3);
    assertThat(ids(claimed)).containsExactlyInAnyOrderElementsOf(jobs);
    assertThat(claimed).allMatch(job -> job.bond().limited().isEmpty());
    assertThat(claimed).allMatch(job -> job.bond().others().contains("free/k"));
  }

  /**
   * Jobs that waited for a slot of another task's group were not called when that task's job ended.
   */
  @Test
  void groupOfAnotherTask_itsJobEnds_jobsThatWaitedForItStart() {
    Task<Integer> owner = task("owner", 1);
    Task<Integer> guest = task("guest");
    submit(owner);
    ManualWorker first = manualWorker(owner);
    ClaimedJob job = first.claim("owner", 1).get(0);
    submit(guest, 5, o -> o.concurrencyGroup("owner"));
    ManualWorker second = manualWorker(guest);
    assertThat(second.claim("guest", 10)).isEmpty();

    assertThat(first.succeed(job)).isTrue();
    assertThat(second.claim("guest", 10)).hasSize(1);
    assertThat(second.claim("guest", 10)).isEmpty();
  }

  @TaskName("neither")
  record Neither(int n) implements Job {
    @Override
    public void run(JobContext context) {}
  }

  @TaskName("limit_alone")
  record LimitAlone(int n) implements Job {
    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(2);
    }

    @Override
    public void run(JobContext context) {}
  }

  @TaskName("key_alone")
  record KeyAlone(int n) implements Job {
    @Override
    public String concurrencyKey() {
      return "user-" + n % 2;
    }

    @Override
    public void run(JobContext context) {}
  }

  @TaskName("both")
  record Both(int n) implements Job {
    @Override
    public String concurrencyKey() {
      return "user-" + n % 3;
    }

    @Override
    public OptionalInt concurrencyLimit() {
      return OptionalInt.of(1);
    }

    @Override
    public void run(JobContext context) {}
  }

  @Test
  void classStyle_neitherKeyNorLimit_isUnlimited() {
    sluice.submitAll(IntStream.range(0, 9).mapToObj(Neither::new).toList());

    assertThat(claim(Task.of(Neither.class), 20)).hasSize(9);
  }

  @Test
  void classStyle_limitAlone_isPerClass() {
    sluice.submitAll(IntStream.range(0, 9).mapToObj(LimitAlone::new).toList());

    assertThat(claim(Task.of(LimitAlone.class), 20)).hasSize(2);
    assertThat(active("limit_alone")).isEqualTo(2);
  }

  @Test
  void classStyle_keyAlone_isUnlimitedUntilSomebodySetsALimit() {
    sluice.submitAll(IntStream.range(0, 8).mapToObj(KeyAlone::new).toList());

    sluice.concurrency().setLimit(Group.of("key_alone").key("user-0"), 1);
    assertThat(claim(Task.of(KeyAlone.class), 20)).as("4 of user-1, 1 of user-0").hasSize(5);
  }

  @Test
  void classStyle_keyAndLimit_isPerClassAndKey() {
    sluice.submitAll(IntStream.range(0, 9).mapToObj(Both::new).toList());

    assertThat(claim(Task.of(Both.class), 20)).hasSize(3);
    for (int user = 0; user < 3; user++) {
      assertThat(active(Group.of("both").key("user-" + user))).isEqualTo(1);
    }
  }

  @Test
  void classStyle_runsOnAWorker() {
    List<UUID> ids =
        sluice.submitAll(IntStream.range(0, 20).mapToObj(Both::new).toList()).stream()
            .map(Submission::id)
            .toList();
    closing(worker().handle(Both.class).start());

    awaitCount(JobState.SUCCEEDED, ids.size());
  }

  @Test
  void perDimension_eachValueHasItsOwnLimit() {
    Task<Account> task =
        Task.named("sync", Account.class)
            .maxConcurrentPer("tenant", Account::tenant, 2)
            .maxConcurrentPer("region", Account::region, 3)
            .build();
    for (int i = 0; i < 5; i++) {
      sluice.submit(task, new Account("acme", "eu"));
      sluice.submit(task, new Account("bolt", "eu"));
      sluice.submit(task, new Account("acme", "us"));
    }

    List<ClaimedJob> running = claim(task, 30);
    // eu takes three of acme and bolt, each of which takes two at most.
    assertThat(active(Group.of("sync").dimension("tenant", "acme"))).isEqualTo(2);
    assertThat(active(Group.of("sync").dimension("region", "eu"))).isLessThanOrEqualTo(3);
    assertThat(active(Group.of("sync").dimension("tenant", "bolt"))).isBetween(1, 2);
    assertThat(running).hasSize(2 + active(Group.of("sync").dimension("tenant", "bolt")));
    assertThat(running).allMatch(job -> job.bond().limited().size() == 2);
  }

  @Test
  void perDimension_noValue_isLeftOutOfIt() {
    Task<Account> task =
        Task.named("sync", Account.class).maxConcurrentPer("tenant", Account::tenant, 1).build();
    for (int i = 0; i < 4; i++) {
      sluice.submit(task, new Account(null, "eu"));
      sluice.submit(task, new Account("", "eu"));
      sluice.submit(task, new Account("acme", "eu"));
    }

    assertThat(claim(task, 30)).hasSize(4 + 4 + 1);
  }

  @Test
  void keyOfAnyCharacters_isAGroupOfItsOwn() {
    Task<Integer> task = perKey("keyed", 1);
    for (String name : STRANGE_NAMES) {
      submit(task, 2, o -> o.concurrencyKey(name));
    }

    assertThat(claim(task, 500)).hasSize(STRANGE_NAMES.size());
    for (String name : STRANGE_NAMES) {
      Group group = Group.of("keyed").key(name);
      ConcurrencyStatus status = sluice.concurrency().status(group);
      assertThat(status.active()).as("key '%s'", name).isEqualTo(1);
      assertThat(status.waiting()).as("key '%s'", name).isEqualTo(1);
      assertThat(status.group()).isEqualTo(group);
      assertThat(Group.parse(group.toString())).isEqualTo(group);
    }
  }

  @Test
  void taskOfAnyCharacters_isAGroupOfItsOwn() {
    List<Task<Integer>> tasks = new ArrayList<>();
    for (String name : STRANGE_NAMES) {
      tasks.add(task(name, 1));
      submit(task(name), 2);
    }
    ManualWorker worker = manualWorker(tasks.toArray(Task<?>[]::new));
    TaskDemand[] demands =
        tasks.stream().map(task -> new TaskDemand(task.name(), 2, 0)).toArray(TaskDemand[]::new);

    List<ClaimedJob> running = new ArrayList<>();
    for (List<ClaimedJob> some = worker.claim(500, demands);
        !some.isEmpty();
        some = worker.claim(500, demands)) {
      running.addAll(some);
    }
    assertThat(running)
        .extracting(ClaimedJob::task)
        .containsExactlyInAnyOrderElementsOf(STRANGE_NAMES);
    for (String name : STRANGE_NAMES) {
      assertThat(active(name)).as("task '%s'", name).isEqualTo(1);
    }
  }

  @Test
  void taskWithSlash_isNotAKeyedGroup() {
    Task<Integer> slashed = task("a/b", 1);
    Task<Integer> keyed = perKey("a", 1);
    submit(slashed, 2);
    submit(keyed, 2, o -> o.concurrencyKey("b"));

    assertThat(claim(slashed, 5)).hasSize(1);
    assertThat(claim(keyed, 5)).hasSize(1);
    assertThat(active("a/b")).isEqualTo(1);
    assertThat(active(Group.of("a").key("b"))).isEqualTo(1);
  }

  @Test
  void keyWithEquals_isNotADimension() {
    Task<Integer> task =
        Task.named("t", Integer.class)
            .maxConcurrentPerKey(1)
            .maxConcurrentPer("x", payload -> payload == 0 ? null : payload, 1)
            .build();
    submit(task, o -> o.concurrencyKey("x=1"));
    sluice.submit(task, 1);

    assertThat(claim(task, 5)).as("two different groups").hasSize(2);
    assertThat(active(Group.of("t").key("x=1"))).isEqualTo(1);
    assertThat(active(Group.of("t").dimension("x", "1"))).isEqualTo(1);
  }

  @Test
  void keyStar_isNotTheFamily() {
    Task<Integer> task = task("t");
    sluice.concurrency().setLimit(Group.of("t").key("*"), 0);
    submit(task, o -> o.concurrencyKey("*"));
    UUID free = submit(task, o -> o.concurrencyKey("other"));

    assertThat(ids(claim(task, 5))).containsExactly(free);
  }

  @Test
  void family_limitAppliesToEachKeyByItself() {
    Task<Integer> task = task("t");
    sluice.concurrency().setLimit(Group.of("t").anyKey(), 2);
    sluice.concurrency().setLimit(Group.of("t").key("held"), 0);
    for (String key : List.of("one", "two", "held")) {
      submit(task, 5, o -> o.concurrencyKey(key));
    }

    assertThat(claim(task, 50)).hasSize(4);
    assertThat(sluice.concurrency().status(Group.of("t").key("one")).limit()).hasValue(2);
    assertThat(sluice.concurrency().status(Group.of("t").key("one")).origin().inheritedFrom())
        .contains(Group.of("t").anyKey());
    assertThat(sluice.concurrency().status(Group.of("t").key("held")).limit()).hasValue(0);
  }

  @Test
  void groupNamedAtSubmit_isSharedByTasks() {
    Task<Integer> one = task("one");
    Task<Integer> two = task("two");
    submit(one, 5, o -> o.concurrencyGroup("heavy").concurrencyLimit(3));
    submit(two, 5, o -> o.concurrencyGroup("heavy"));
    ManualWorker worker = manualWorker(one, two);

    assertThat(worker.claim(20, new TaskDemand("one", 2, 0), new TaskDemand("two", 20, 0)))
        .hasSize(3);
    assertThat(worker.claim("two", 20)).isEmpty();
    assertThat(active("heavy")).isEqualTo(3);
    assertThat(sluice.concurrency().status("heavy").waiting()).isEqualTo(7);
  }

  @Test
  void groupNamedAtSubmit_keyNarrowsIt() {
    Task<Integer> task = task("t");
    for (String key : List.of("db-1", "db-2")) {
      submit(task, 5, o -> o.concurrencyGroup("database").concurrencyKey(key).concurrencyLimit(2));
    }

    assertThat(claim(task, 20)).hasSize(4);
    assertThat(active(Group.of("database").key("db-1"))).isEqualTo(2);
    assertThat(active("database")).isZero();
  }

  @Test
  void concurrencyKey_isNotADedupeKey() {
    Task<Integer> task = perKey("t", 1);

    assertThat(sluice.submit(task, 1, o -> o.concurrencyKey("k")).accepted()).isTrue();
    assertThat(sluice.submit(task, 2, o -> o.concurrencyKey("k")).accepted()).isTrue();
    sluice.submit(task, 3, o -> o.dedupeKey("k"));
    assertThat(claim(task, 9)).as("one of the key, and the one without").hasSize(2);
  }

  @Test
  void longestGroupName_works() {
    String key = "k".repeat(Group.MAX_LENGTH - "t/".length());
    Task<Integer> task = perKey("t", 1);
    submit(task, 2, o -> o.concurrencyKey(key));

    assertThat(claim(task, 9)).hasSize(1);
    assertThat(active(Group.of("t").key(key))).isEqualTo(1);
    assertThatThrownBy(() -> submit(task, o -> o.concurrencyKey(key + "k")))
        .isInstanceOf(InvalidRequestException.class);
  }
}
