package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.spi.LimitStore;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * A dimension that is declared as a pointer into the payload holds without the code that declares
 * it: for submitters that know the task by its name, and in workers whose task declares nothing.
 */
abstract class PointerContract extends ContractTopic {
  private static final String NAME = "print_invoice";
  private static final Group TENANT = Group.of(NAME).anyValueOf("tenant");
  private static final Group ACME = TENANT.value("acme");

  record Invoice(String tenant) {}

  PointerContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  private static Task<Invoice> perTenant(int limit) {
    return Task.named(NAME, Invoice.class).maxConcurrentPer("tenant", "/tenant", limit).build();
  }

  private static JsonNode invoice(String tenant) {
    return JsonNodeFactory.instance.objectNode().put("tenant", tenant);
  }

  /** What a worker knows whose program has no code of the task, only its name. */
  private static Task<JsonNode> bare() {
    return Task.named(NAME, JsonNode.class).build();
  }

  private <T> Worker startWorker(Task<T> task, OverlapMeter meter) {
    return closing(
        worker(anotherProcess())
            .handle(
                task,
                (payload, context) -> {
                  try (OverlapMeter.Run run = meter.begin("acme")) {
                    TimeUnit.MILLISECONDS.sleep(5);
                  }
                })
            .start());
  }

  private List<Group> extraGroups(UUID id) {
    return job(id).spec().groups().stream().filter(g -> !g.equals(Group.of(NAME))).toList();
  }

  @Test
  void declaredByAWorker_submittersByNameAreInTheGroupAtOnce() {
    closing(worker(anotherProcess()).handle(perTenant(2), (payload, context) -> {}).start());
    assertThat(sluice.concurrency().pointers()).isEqualTo(Map.of(TENANT, "/tenant"));

    Sluice submitter = anotherProcess();
    UUID id = submitter.submit(submitter.taskNamed(NAME), invoice("acme")).id();
    UUID other = submitter.submit(submitter.taskNamed("another"), invoice("acme")).id();

    assertThat(extraGroups(id)).containsExactly(ACME);
    assertThat(job(other).spec().groups()).containsExactly(Group.of("another"));
    awaitState(id, JobState.SUCCEEDED);
    assertThat(job(id).progress().attempt()).isEqualTo(1);
  }

  @Test
  void rejectByName_countsInTheGroup() {
    sluice.concurrency().setLimit(TENANT, 2, "/tenant");
    Sluice submitter = anotherProcess();

    List<Submission> answers =
        submitter.submitAll(
            submitter.taskNamed(NAME),
            Collections.nCopies(3, invoice("acme")),
            o -> o.onLimit(OnLimit.REJECT).per("tenant", "somebody else"));
    Submission other =
        submitter.submit(
            submitter.taskNamed(NAME), invoice("globex"), o -> o.onLimit(OnLimit.REJECT));

    assertThat(answers).filteredOn(Submission::accepted).as("of acme").hasSize(2);
    assertThat(answers.get(2))
        .isInstanceOfSatisfying(
            Submission.Rejected.class, rejected -> assertThat(rejected.group()).isEqualTo(ACME));
    assertThat(other.accepted()).as("of globex").isTrue();
    assertThat(extraGroups(answers.get(0).id()))
        .as("the pointer replaces what the submitter said")
        .containsExactly(ACME);
  }

  @Test
  void javaSubmitter_isInTheGroupByTheTextThatIsStored() {
    UUID id = sluice.submit(perTenant(2), new Invoice("acme")).id();
    UUID none = sluice.submit(perTenant(2), new Invoice(null)).id();

    assertThat(extraGroups(id)).containsExactly(ACME);
    assertThat(extraGroups(none)).isEmpty();
  }

  @Test
  void workerWhoseTaskDeclaresNothing_holdsWhatWasRecordedAfterItStarted() throws Exception {
    OverlapMeter meter = new OverlapMeter();
    CountDownLatch begun = new CountDownLatch(8);
    CountDownLatch recorded = new CountDownLatch(1);
    for (int i = 0; i < 2; i++) {
      closing(
          worker(anotherProcess())
              .concurrency(4)
              .handle(
                  bare(),
                  (payload, context) -> {
                    begun.countDown();
                    if (recorded.getCount() > 0) {
                      recorded.await();
                      return;
                    }
                    try (OverlapMeter.Run run = meter.beginWithOthers("acme", 2, PATIENCE)) {
                      TimeUnit.MILLISECONDS.sleep(5);
                    }
                  })
              .start());
    }
    sluice.submitAll(bare(), Collections.nCopies(60, invoice("acme")));
    assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

    sluice.concurrency().setLimit(TENANT, 2, "/tenant");
    recorded.countDown();

    awaitCount(JobState.SUCCEEDED, 60);
    assertThat(meter.count("acme")).as("started since").isGreaterThan(40);
    assertThat(meter.peak("acme")).as("of acme at once").isEqualTo(2);
  }

  @Test
  void pointerOnly_changedUnderTheSameLimit_isHeardOf() {
    OverlapMeter meter = new OverlapMeter();
    sluice.concurrency().setLimit(TENANT, 1, "/nowhere");
    startWorker(bare(), meter);
    startWorker(bare(), meter);
    awaitState(sluice.submit(bare(), invoice("acme")).id(), JobState.SUCCEEDED);

    sluice.concurrency().setLimit(TENANT, 1, "/tenant");
    List<Submission> jobs = sluice.submitAll(bare(), Collections.nCopies(40, invoice("acme")));

    awaitCount(JobState.SUCCEEDED, 41);
    assertThat(meter.peak("acme")).as("of acme at once").isEqualTo(1);
    assertThat(extraGroups(jobs.get(0).id())).containsExactly(ACME);
  }

  @Test
  void taskThatIsNewToAWorkersStore_isJudgedByItsPointer() {
    OverlapMeter meter = new OverlapMeter();
    startWorker(bare(), meter);
    // The worker has signed on before anything of the task is on record.
    sluice.concurrency().setLimit(TENANT, 1, "/tenant");
    sluice.submitAll(bare(), Collections.nCopies(30, invoice("acme")));

    awaitCount(JobState.SUCCEEDED, 30);
    assertThat(meter.peak("acme")).as("of acme at once").isEqualTo(1);
  }

  @Test
  void withoutALimit_doesNothing() {
    store.limits().recordPointers(Map.of(TENANT, "/tenant"));
    closing(worker().handle(bare(), (payload, context) -> {}).start());

    Sluice submitter = anotherProcess();
    UUID id = submitter.submit(submitter.taskNamed(NAME), invoice("acme")).id();

    awaitState(id, JobState.SUCCEEDED);
    assertThat(extraGroups(id)).isEmpty();
  }

  @Test
  void limitRemoved_pointerDoesNothing() {
    sluice.concurrency().setLimit(TENANT, 2, "/tenant");
    assertThat(sluice.taskNamed(NAME).pointers()).containsEntry(TENANT, "/tenant");

    sluice.concurrency().removeLimit(TENANT);

    assertThat(sluice.taskNamed(NAME).pointers()).isEmpty();
    assertThat(sluice.concurrency().pointers()).containsEntry(TENANT, "/tenant");
  }

  @Test
  void recorded_mergesAndTheLatestCounts() {
    Group region = Group.of(NAME).anyValueOf("region");
    assertThat(store.limits().pointers()).isEmpty();

    store.limits().recordPointers(Map.of(TENANT, "/tenant"));
    store.limits().recordPointers(Map.of(region, "/a~1b/0"));
    store.limits().recordPointers(Map.of(TENANT, "/customer"));

    assertThat(closing(fixture.openStore()).limits().pointers())
        .isEqualTo(Map.of(TENANT, "/customer", region, "/a~1b/0"));
  }

  @Test
  void recordedAtTheSameTime_nothingIsLost() throws Exception {
    AtomicInteger numbers = new AtomicInteger();
    LimitStore another = closing(fixture.openStore()).limits();

    onThreads(
        6,
        () -> {
          int number = numbers.incrementAndGet();
          Group family = Group.of("task-" + number).anyValueOf("d");
          (number % 2 == 0 ? store.limits() : another).recordPointers(Map.of(family, "/" + number));
          return true;
        });

    assertThat(store.limits().pointers().values())
        .containsExactlyInAnyOrder("/1", "/2", "/3", "/4", "/5", "/6");
  }

  @Test
  void moreDimensionsThanAJobHasRoomFor_areRefused() {
    for (String dimension : List.of("a", "b", "c")) {
      sluice.concurrency().setLimit(Group.of(NAME).anyValueOf(dimension), 2, "/" + dimension);
    }
    Group fourth = Group.of(NAME).anyValueOf("d");

    assertThatThrownBy(() -> sluice.concurrency().setLimit(fourth, 2, "/d"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll(NAME, "4 dimensions", "at most 3", "Remove");
    assertThat(sluice.concurrency().pointers()).doesNotContainKey(fourth);
  }

  @Test
  void dimensionThatTheCodeDeclaresItself_itsWordCounts() {
    Task<Invoice> upperCase =
        Task.named(NAME, Invoice.class)
            .maxConcurrentPer("tenant", invoice -> invoice.tenant().toUpperCase(), 2)
            .build();
    sluice.concurrency().setLimit(TENANT, 2, "/tenant");
    UUID id = sluice.submit(sluice.taskNamed(NAME), invoice("acme")).id();

    closing(worker().handle(upperCase, (payload, context) -> {}).start());

    awaitState(id, JobState.SUCCEEDED);
    assertThat(extraGroups(id)).containsExactly(TENANT.value("ACME"));
  }

  @Test
  void textThatIsNoGroup_isRefusedAtSubmit() {
    ObjectNode tooLong = JsonNodeFactory.instance.objectNode().put("tenant", "x".repeat(600));
    sluice.concurrency().setLimit(TENANT, 2, "/tenant");

    assertThatThrownBy(() -> sluice.submit(sluice.taskNamed(NAME), tooLong))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll("600 characters", "at most 512");
  }
}
