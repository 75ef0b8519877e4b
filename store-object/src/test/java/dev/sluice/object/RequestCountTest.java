package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many requests a job takes, from submit to done. */
class RequestCountTest {
  private static final String TASK = "t";

  private final RequestMeter meter = new RequestMeter();
  private final JobStore store =
      ObjectStoreProvider.open(
          new PrefixedObjectStore(
              new InstrumentedObjectStore(
                  MemoryObjectStore.open(UUID.randomUUID().toString()), meter),
              "counted"),
          "counted",
          OptionalInt.empty());

  @AfterEach
  void close() {
    store.close();
  }

  private WorkerSession worker(Map<Group, Integer> limits) {
    return store.openSession(StoreCalls.worker(Set.of(TASK), limits));
  }

  /** Without a limit: a slot is shown if it is held for long, which a busy machine may decide. */
  @Test
  void loneJob_takesAtMostTwelveRequests() {
    WorkerSession session = worker(Map.of());
    RequestReport before = meter.report();

    store.submit(List.of(StoreCalls.job(TASK)));
    Answer claimed = session.exchange(StoreCalls.ask(TASK, 4));
    assertThat(claimed.jobs()).hasSize(1);
    session.exchange(StoreCalls.report(claimed.jobs(), Demand.NONE));
    session.close();
    store.close();

    RequestReport taken = meter.report().since(before);
    assertThat(taken.requests()).as("%s", taken).isLessThanOrEqualTo(12);
  }

  @Test
  void manyLimitedJobs_takeFarLessThanOneRequestEach() {
    int jobs = 10_000;
    WorkerSession session = worker(Map.of(Group.of(TASK), 1_000));
    RequestReport before = meter.report();
    for (int i = 0; i < jobs; i += 100) {
      List<NewJob> batch = new ArrayList<>();
      for (int j = 0; j < 100; j++) {
        batch.add(StoreCalls.job(TASK));
      }
      store.submit(batch);
    }
    Answer answer = session.exchange(StoreCalls.ask(TASK, 1_000));
    assertThat(answer.jobs()).hasSize(1_000);
    while (!answer.jobs().isEmpty()) {
      Demand more = StoreCalls.demand(TASK, 1_000, Map.of(TASK, 1_000));
      answer = session.exchange(StoreCalls.report(answer.jobs(), more));
    }
    assertThat(store.jobs().counts()).containsEntry(JobState.SUCCEEDED, (long) jobs);

    RequestReport taken = meter.report().since(before);
    double each = taken.requests() / (double) jobs;
    assertThat(each).as("%s", taken).isLessThan(1);
  }

  /** Submits jobs of this task one by one, and runs each as soon as it is there. */
  private RequestReport runOneByOne(WorkerSession session, String task, int jobs) {
    Demand either =
        new Demand(1, List.of(new TaskDemand(TASK, 1, 0), new TaskDemand(task, 1, 0)), Map.of());
    RequestReport before = meter.report();
    for (int i = 0; i < jobs; i++) {
      store.submit(List.of(StoreCalls.job(task)));
      Answer answer = session.exchange(StoreCalls.report(List.of(), either));
      assertThat(answer.jobs()).extracting(ClaimedJob::task).containsExactly(task);
      session.exchange(StoreCalls.report(answer.jobs(), Demand.NONE));
    }
    return meter.report().since(before);
  }

  /** Ahead of them wait 50,000 jobs, in 50 segments, for a group that is full. */
  @Test
  void backlogOfAFullGroup_costsOtherJobsNoRequest() {
    int jobs = 20;
    int segments = 50;
    WorkerSession session =
        store.openSession(StoreCalls.worker(Set.of(TASK, "free"), Map.of(Group.of(TASK), 1)));
    RequestReport alone = runOneByOne(session, "free", jobs);
    for (int i = 0; i < segments; i++) {
      store.submit(IntStream.range(0, 1_000).mapToObj(n -> StoreCalls.job(TASK)).toList());
    }
    assertThat(session.exchange(StoreCalls.ask(TASK, 10)).jobs()).hasSize(1);

    RequestReport behind = runOneByOne(session, "free", jobs);
    assertThat(behind.requests() / (double) jobs)
        .as("%s, and with the backlog %s", alone, behind)
        .isLessThanOrEqualTo(alone.requests() / (double) jobs + 1);
    // A commit names the segments of the backlog, and none of their jobs is read again.
    assertThat((bytes(behind) - bytes(alone)) / jobs).isLessThan(10L * segments * 100);
  }

  private static long bytes(RequestReport report) {
    long bytes = 0;
    for (RequestKind kind : RequestKind.values()) {
      bytes += report.of(kind).bytesSent() + report.of(kind).bytesReceived();
    }
    return bytes;
  }

  /** One for the leases, one for the slot objects. */
  @Test
  void auditOfSeveralShards_takesTwoLists() {
    Set<String> tasks = Set.of("a", "b", "c", "d", "e", "f");
    try (JobStore sharded =
            ObjectStoreProvider.open(
                new PrefixedObjectStore(
                    new InstrumentedObjectStore(
                        MemoryObjectStore.open(UUID.randomUUID().toString()), meter),
                    "sharded"),
                "sharded",
                OptionalInt.of(3));
        WorkerSession session = sharded.openSession(StoreCalls.worker(tasks, Map.of()))) {
      sharded.submit(tasks.stream().map(StoreCalls::job).toList());
      Map<UUID, Long> claims = new HashMap<>();
      for (String task : tasks) {
        Answer answer = session.exchange(StoreCalls.ask(task, 1));
        if (answer.stale()) {
          // It has just signed on in the shard of this task.
          session.reconcile(claims);
          answer = session.exchange(StoreCalls.ask(task, 1));
        }
        assertThat(answer.jobs()).hasSize(1);
        claims.put(answer.jobs().get(0).id(), answer.jobs().get(0).token());
      }
      RequestReport before = meter.report();

      assertThat(sharded.limits().audit(true).isClean()).isTrue();
      assertThat(meter.report().since(before).of(RequestKind.LIST).requests()).isEqualTo(2);
    }
  }

  @Test
  void auditThatIsNotDue_takesNoRequest() {
    assertThat(store.limits().auditIfDue(Duration.ofHours(1))).isPresent();
    RequestReport before = meter.report();

    assertThat(store.limits().auditIfDue(Duration.ofHours(1))).isEmpty();
    assertThat(meter.report().since(before).requests()).isZero();
  }

  /** A worker that came back early for a slot did not look for what its own process submitted. */
  @Test
  void workerThatWaitsForASlot_hasAJobOfItsOwnProcessAtOnce() throws InterruptedException {
    Map<Group, Integer> limits = Map.of(Group.of(TASK), 1);
    WorkerSession holder = worker(limits);
    store.submit(List.of(StoreCalls.job(TASK), StoreCalls.job(TASK)));
    assertThat(holder.exchange(StoreCalls.ask(TASK, 1)).jobs()).hasSize(1);
    WorkerSession waiting = store.openSession(StoreCalls.worker(Set.of(TASK, "free"), limits));
    Semaphore woken = new Semaphore(0);
    waiting.onWake(woken::release);
    Demand either =
        new Demand(1, List.of(new TaskDemand(TASK, 1, 0), new TaskDemand("free", 1, 0)), Map.of());
    assertThat(waiting.exchange(StoreCalls.report(List.of(), either)).jobs()).isEmpty();

    for (int i = 0; i < 3; i++) {
      woken.drainPermits();
      store.submit(List.of(StoreCalls.job("free")));
      assertThat(woken.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      Answer answer = waiting.exchange(StoreCalls.report(List.of(), either));
      assertThat(answer.jobs()).as("job %d", i).hasSize(1);
      waiting.exchange(StoreCalls.report(answer.jobs(), Demand.NONE));
      assertThat(waiting.exchange(StoreCalls.report(List.of(), either)).jobs()).isEmpty();
    }
  }
}
