package dev.sluice.bench.scenario;

import dev.sluice.Task;
import dev.sluice.bench.report.Ratio.Goal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Every scenario, in the order to run them. */
public final class Scenarios {
  static final int BATCH = 10_000;
  private static final int COLD_BATCH = 50_000;
  private static final int JOBS_OF_EACH_TASK = 5;
  private static final int MIDDLE_BATCH = 20_000;
  private static final int LARGE_BATCH = 100_000;
  private static final int MANY_KEYS = 100_000;
  private static final int BUSY_KEYS = 1_000;
  private static final int MANY_TASKS = 1_000;
  private static final int BACKLOG = 1_000_000;

  private Scenarios() {}

  /** All of them. */
  public static List<Scenario> all() {
    return List.of(
        baseline(),
        enabled(),
        cold(),
        mixed(),
        manyLimitedTasks(),
        high(),
        keys(),
        busyKeys(),
        keysAtFive(),
        twoLimits(),
        saturatedBacklog(),
        limitOneChain(),
        latencyIdle(),
        latencyLoaded(),
        new SubmitScenario(
            "submit-one", "Jobs submitted one by one, each in a commit.", Submitter::single),
        new SubmitScenario(
            "submit-batch", "Jobs submitted a thousand at a time.", Submitter::batch),
        new SubmitScenario(
            "submit-transactional",
            "Jobs submitted one by one in transactions that write a row of their own.",
            Submitter::transactional),
        noLimitsCost(),
        new ObjectRequestsScenario(),
        new ObjectFileScenario(),
        new ObjectS3Scenario(),
        new WorkflowScenario(
            "workflow-fanout",
            "A workflow with a step over a list of jobs that do nothing, beside plain jobs.",
            true),
        new WorkflowScenario("workflow-fanout-file", "The same on a store in a directory.", false),
        new ThrottleScenario());
  }

  private static Scenario baseline() {
    return SettingsScenario.of(
        "concurrency-baseline",
        "Jobs that do nothing, without any limit, on four workers.",
        unlimited(BATCH));
  }

  private static Scenario enabled() {
    return SettingsScenario.of(
            "concurrency-enabled",
            "The same jobs, all of a task that is limited to 10.",
            unlimited(BATCH),
            limited(BATCH))
        .judge(Judgement.throughput(Goal.atLeast(0.93, 0.97)));
  }

  private static Scenario cold() {
    Setting free = unlimited(COLD_BATCH);
    Setting limited = limited(COLD_BATCH);
    Setting freeFirst = free.named("no limit, jobs first").beforeWorkers();
    Setting limitedFirst = limited.named("limit 10, jobs first").beforeWorkers();
    return SettingsScenario.of(
            "concurrency-cold",
            "Jobs that were submitted before a worker declared their limit of 10.",
            free,
            limited,
            freeFirst,
            limitedFirst)
        .judge(Judgement.throughput())
        .judge(
            Judgement.throughput(limitedFirst.name(), freeFirst.name(), Goal.atLeast(0.88, 0.95)))
        .remark(
            "Jobs first: every batch is in a new database, and is there before the four workers"
                + " start; one of them is the first to declare the limit. Otherwise the workers have"
                + " run a batch before.");
  }

  private static Scenario mixed() {
    return SettingsScenario.of(
            "concurrency-mixed",
            "A hundred tasks, one of them limited to 10; the other 99 are counted.",
            Setting.of("99 of 100 tasks, no limit", hundredTasks(task("task-0").build())),
            Setting.of(
                "99 of 100 tasks, the other at limit 10",
                hundredTasks(task("task-0").maxConcurrent(10).build())))
        .judge(Judgement.throughput(Goal.atLeast(0.95, 0.99)));
  }

  private static List<Lot> hundredTasks(Task<Integer> first) {
    int each = BATCH / 100;
    return IntStream.range(0, 100)
        .mapToObj(i -> i == 0 ? Lot.beside(first, each) : Lot.of(task("task-" + i).build(), each))
        .toList();
  }

  private static Scenario manyLimitedTasks() {
    return SettingsScenario.of(
            "many-limited-tasks",
            "One worker with a thousand tasks, each limited to 10.",
            plan -> {
              int tasks = plan.jobs(MANY_TASKS);
              int jobs = tasks * JOBS_OF_EACH_TASK;
              return List.of(
                  unlimited(MANY_TASKS * JOBS_OF_EACH_TASK).named("1 task, no limit").crew(1, 100),
                  shared("many tasks, no limit", tasks, jobs, Task.Builder::build).crew(1, 100),
                  limitedTasks(tasks, jobs).named("many tasks, limit 10 each").crew(1, 100));
            })
        .judge(
            Judgement.throughput(
                "many tasks, no limit", "1 task, no limit", Goal.atLeast(0.85, 0.95)))
        .judge(
            Judgement.throughput(
                "many tasks, limit 10 each", "many tasks, no limit", Goal.atLeast(0.7, 0.9)));
  }

  private static Scenario high() {
    return SettingsScenario.of(
            "concurrency-high",
            "A limit of 500 on eight workers with 64 threads each.",
            unlimited(LARGE_BATCH).crew(8, 512),
            Setting.of("limit 500", Lot.of(task("wide").maxConcurrent(500).build(), LARGE_BATCH))
                .crew(8, 512))
        .judge(Judgement.throughput());
  }

  private static Scenario keys() {
    return SettingsScenario.of(
            "concurrency-keys",
            "Every job has one of 100,000 keys, and each key a limit of 1.",
            unlimited(LARGE_BATCH),
            keyed(MANY_KEYS, LARGE_BATCH))
        .judge(Judgement.throughput(Goal.atLeast(0.75, 0.85)))
        .remark("Keys are drawn at random: many have one job in a batch, some have several.");
  }

  private static Scenario busyKeys() {
    return SettingsScenario.of(
            "busy-keys",
            "Every job has one of 1,000 keys, and each key a limit of 1 and jobs that wait for it.",
            unlimited(MIDDLE_BATCH),
            keyed(BUSY_KEYS, MIDDLE_BATCH))
        .judge(Judgement.throughput(Goal.atLeast(0.6, 0.8)))
        .remark("Keys are drawn at random: each has about 20 jobs in a batch.");
  }

  private static Scenario keysAtFive() {
    Setting free = unlimited(MIDDLE_BATCH);
    Setting rare = keyed(MANY_KEYS, 5, MIDDLE_BATCH).named("limit 5 per key, 100,000 keys");
    Setting busy = keyed(BUSY_KEYS, 5, MIDDLE_BATCH).named("limit 5 per key, 1,000 keys");
    return SettingsScenario.of(
            "keys-limit-5",
            "Every job has one of 100,000 or of 1,000 keys, and each key a limit of 5.",
            free,
            rare,
            busy)
        .judge(Judgement.throughput(Goal.atLeast(0.7, 0.85)));
  }

  private static Scenario twoLimits() {
    Task<Integer> both =
        task("both").maxConcurrent(50).maxConcurrentPer("key", keyOf(MANY_KEYS), 1).build();
    return SettingsScenario.of(
            "concurrency-two-limits",
            "Every job is limited by its task, to 50, and by one of 100,000 keys, to 1.",
            unlimited(LARGE_BATCH),
            Setting.of("task and key limit", Lot.of(both, LARGE_BATCH)))
        .judge(Judgement.throughput(Goal.atLeast(0.75, 0.9)));
  }

  private static Scenario saturatedBacklog() {
    return SettingsScenario.of(
            "saturated-backlog",
            "A backlog waits for a full group, in front of the jobs that are counted.",
            plan -> List.of(besideFullGroup(0), besideFullGroup(plan.jobs(BACKLOG))))
        .judge(Judgement.throughput())
        .judge(Judgement.claimTime(Goal.atMost(1.05, 1)))
        .remark("The claim time is the median of the exchanges that brought jobs.");
  }

  private static Setting besideFullGroup(int waiting) {
    String name =
        waiting == 0 ? "none waiting" : String.format(Locale.ROOT, "%,d waiting", waiting);
    Task<Integer> full = task("full").maxConcurrent(1).build();
    return Setting.of(name, Lot.of(task("plain").build(), BATCH), Lot.beside(full, 0))
        .amid(new FullGroup(full, waiting));
  }

  private static Scenario limitOneChain() {
    return SettingsScenario.of(
            "limit-1-chain",
            "One job at a time on four workers, with handlers of 5 ms.",
            Setting.of("limit 1", Lot.of(task("chain").maxConcurrent(1).build(), 1_000))
                .work(Work.sleeping(Duration.ofMillis(5))))
        .judge(Judgement.busy(Goal.atLeast(0.9, 0.97)));
  }

  private static Scenario latencyIdle() {
    return new LatencyScenario(
        "latency-idle",
        "From the submit of a job to the start of its handler, with nothing else to do.",
        bench -> new IdlePace(new Random(1)),
        new TreeMap<>(Map.of(50, Goal.atMost(5, 3.5), 99, Goal.atMost(10, 8))),
        List.of());
  }

  private static Scenario latencyLoaded() {
    return new LatencyScenario(
        "latency-loaded",
        "From the submit of a job to the start of its handler, at half the peak throughput.",
        Scenarios::halfOfPeak,
        Map.of(),
        List.of(
            "The peak is that of jobs submitted beforehand; here submitting takes its share too."));
  }

  private static Pace halfOfPeak(Bench bench) throws InterruptedException {
    try (Stage stage = bench.onPostgres(unlimited(bench.plan().jobs(BATCH)))) {
      return SteadyPace.perSecond(stage.measure().jobsPerSecond() / 2);
    }
  }

  private static Scenario noLimitsCost() {
    Lot plain = Lot.of(task("plain").build(), BATCH);
    return SettingsScenario.of(
            "no-limits-cost",
            "Jobs without limits, in a schema that could keep slots and in one that cannot.",
            Setting.of("without slot tables", plain).amid(new NoSlotTables()),
            Setting.of("with slot tables", plain))
        .judge(Judgement.throughput(Goal.atLeast(0.98, 1)))
        .remark(
            "Without slot tables: they are dropped, and empty views stand in for them where chores"
                + " look. The functions and the lanes of jobs are the same in both.");
  }

  static Setting unlimited(int jobs) {
    return Setting.of("no limit", Lot.of(task("plain").build(), jobs));
  }

  static Setting limited(int jobs) {
    return Setting.of("limit 10", Lot.of(task("limited").maxConcurrent(10).build(), jobs));
  }

  /** A batch shared by so many tasks, each limited to 10. */
  static Setting limitedTasks(int tasks, int jobs) {
    return shared("limit 10 per task", tasks, jobs, task -> task.maxConcurrent(10).build());
  }

  private static Setting shared(
      String name, int tasks, int jobs, Function<Task.Builder<Integer>, Task<Integer>> built) {
    return Setting.of(
        name,
        IntStream.range(0, tasks)
            .mapToObj(i -> built.apply(task("task-" + i)))
            .map(task -> Lot.of(task, jobs / tasks))
            .toList());
  }

  static Setting keyed(int keys, int jobs) {
    return keyed(keys, 1, jobs);
  }

  private static Setting keyed(int keys, int limit, int jobs) {
    Task<Integer> keyed = task("keyed").maxConcurrentPer("key", keyOf(keys), limit).build();
    return Setting.of("limit %d per key".formatted(limit), Lot.of(keyed, jobs));
  }

  /** Which of so many keys a payload has: as good as drawn at random, and always the same. */
  private static Function<Integer, Integer> keyOf(int keys) {
    return payload -> new SplittableRandom(payload).nextInt(keys);
  }

  static Task.Builder<Integer> task(String name) {
    return Task.named(name, Integer.class);
  }
}
