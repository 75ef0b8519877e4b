package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import dev.sluice.Queues.DueJobs;
import dev.sluice.Queues.QueueInfo;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Queues: paused and resumed, each by itself. */
abstract class QueueContract extends ContractTopic {
  private static final Task<Integer> TASK = task("t");

  QueueContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private ManualWorker serving(String... queues) {
    return manualWorker(
        new WorkerRegistration("manual", Set.of(queues), Set.of("t"), Map.of(), LONG_LEASE));
  }

  @Test
  void paused_startsNothingAndOthersGoOn() {
    ManualWorker worker = serving("red", "blue");
    submit(TASK, 3, o -> o.queue("red"));
    UUID blue = submit(TASK, o -> o.queue("blue"));

    sluice.queues().pause("red");
    sluice.queues().pause("red");
    assertThat(ids(worker.claim("t", 9))).containsExactly(blue);
    assertThat(sluice.submit(TASK, 1, o -> o.queue("red")).accepted()).isTrue();
    assertThat(worker.claim("t", 9)).isEmpty();

    sluice.queues().resume("red");
    sluice.queues().resume("red");
    assertThat(worker.claimAll("t", 9)).hasSize(4);
  }

  @Test
  void paused_limitedJobsHoldNoSlots() {
    Task<Integer> limited = task("t", 2);
    submit(limited, 3, o -> o.queue("red"));
    submit(limited, 3, o -> o.queue("blue"));
    sluice.queues().pause("red");
    ManualWorker worker =
        manualWorker(
            new WorkerRegistration(
                "manual", Set.of("red", "blue"), Set.of("t"), limited.limits(), LONG_LEASE));

    List<ClaimedJob> running = worker.claimAll("t", 9);
    assertThat(running).hasSize(2);
    assertThat(running)
        .allSatisfy(job -> assertThat(job(job.id()).spec().queue()).isEqualTo("blue"));
  }

  @Test
  void paused_runningJobsFinish() {
    UUID id = submit(TASK, o -> o.queue("red"));
    ManualWorker worker = serving("red");
    ClaimedJob running = worker.claim("t", 1).get(0);

    sluice.queues().pause("red");
    assertThat(worker.succeed(running)).isTrue();
    assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void resumed_workersGoOn() {
    sluice.queues().pause("default");
    closing(worker().handle(TASK, (payload, context) -> {}).start());
    UUID held = submit(TASK);
    UUID marker = submit(task("marker"), o -> o.queue("other"));
    closing(
        worker(anotherProcess())
            .queues("other", "default")
            .handle(task("marker"), (payload, context) -> {})
            .start());
    awaitState(marker, JobState.SUCCEEDED);
    assertThat(state(held)).isNotIn(JobState.RUNNING, JobState.SUCCEEDED);

    sluice.queues().resume("default");
    awaitState(held, JobState.SUCCEEDED);
  }

  @Test
  void list_countsByQueue() {
    submit(TASK, 3, o -> o.queue("a/b 'c'"));
    submit(TASK, 2, o -> o.queue("b").delay(Duration.ofHours(1)));
    sluice.queues().pause("c");
    ManualWorker worker = serving("a/b 'c'");
    worker.claim("t", 1);

    List<QueueInfo> queues = sluice.queues().list();
    Instant oldestDue = queues.get(0).oldestDue().orElseThrow();
    assertThat(queues)
        .containsExactly(
            new QueueInfo("a/b 'c'", false, Map.of("t", new DueJobs(2, oldestDue)), 1, 0),
            new QueueInfo("b", false, Map.of(), 0, 2),
            new QueueInfo("c", true, Map.of(), 0, 0));
    sluice.queues().resume("c");
    assertThat(sluice.queues().list()).extracting(QueueInfo::name).doesNotContain("c");
  }

  @Test
  void list_oldestDue_isThatOfTheJobThatWaitsLongest() {
    UUID first = submit(TASK, o -> o.queue("q").priority(-5));
    awaitStoreTime(job(first).spec().schedule().runAt().plusMillis(1_100));
    UUID second = submit(TASK, o -> o.queue("q").priority(5));
    ManualWorker worker = serving("q");

    assertThat(oldestDueOf("q")).contains(job(first).spec().schedule().runAt());
    assertThat(ids(worker.claim("t", 1))).containsExactly(second);
    assertThat(oldestDueOf("q")).contains(job(first).spec().schedule().runAt());
    assertThat(ids(worker.claim("t", 1))).containsExactly(first);
    assertThat(oldestDueOf("q")).isEmpty();
  }

  @Test
  void list_oldestDue_ofWaitingJobsToo() {
    Task<Integer> limited = task("t", 1);
    ManualWorker worker = manualWorker(limited);
    List<UUID> ids = submit(limited, 2);
    worker.claim("t", 2);

    assertThat(oldestDueOf("default")).contains(job(ids.get(1)).spec().schedule().runAt());
  }

  @Test
  void list_dueJobs_areCountedByTask() {
    Task<Integer> other = task("o/t 'h", 1);
    ManualWorker worker = manualWorker(TASK, other);
    UUID first = submit(TASK);
    awaitStoreTime(job(first).spec().schedule().runAt().plusMillis(20));
    List<UUID> others = submit(other, 3);
    submit(other, o -> o.delay(Duration.ofHours(1)));
    submit(TASK, 2);
    assertThat(worker.claimAll(other.name(), 5)).hasSize(1);

    QueueInfo queue = sluice.queues().list().get(0);
    assertThat(queue.due())
        .containsOnly(
            Map.entry("t", new DueJobs(3, job(first).spec().schedule().runAt())),
            Map.entry(other.name(), new DueJobs(2, job(others.get(1)).spec().schedule().runAt())));
    assertThat(queue.ready()).isEqualTo(5);
    assertThat(queue.oldestDue()).contains(job(first).spec().schedule().runAt());
    assertThat(queue.scheduled()).isEqualTo(1);
  }

  private Optional<Instant> oldestDueOf(String queue) {
    return sluice.queues().list().stream()
        .filter(info -> info.name().equals(queue))
        .findFirst()
        .orElseThrow()
        .oldestDue();
  }
}
