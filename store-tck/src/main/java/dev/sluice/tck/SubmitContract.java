package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.PermanentFailure;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Submitting jobs: what is stored, what is refused, and what is a duplicate. */
abstract class SubmitContract extends ContractTopic {
  private static final Task<Integer> TASK = task("submit");
  private static final Task<String> TEXT = Task.named("text", String.class).build();

  SubmitContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  @Test
  void submit_noOptions_isReadyAtOnce() {
    UUID id = sluice.submit(TASK, 7).id();

    JobInfo job = job(id);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.task()).isEqualTo("submit");
    assertThat(job.spec().queue()).isEqualTo("default");
    assertThat(job.spec().priority()).isZero();
    assertThat(job.spec().payload()).isEqualTo("7");
    assertThat(job.spec().groups()).containsExactly(Group.of("submit"));
    assertThat(job.progress().attempt()).isZero();
    assertThat(job.outcome()).isEqualTo(JobInfo.Outcome.PENDING);
    assertThat(job.failures()).isEmpty();
  }

  @Test
  void submit_everyOption_isOnRecord() {
    UUID id = UUID.fromString("00000000-0000-4000-8000-000000000001");
    Instant due = Instant.parse("2100-01-02T03:04:05Z");
    sluice.submit(
        TASK,
        7,
        o ->
            o.id(id)
                .queue("slow")
                .priority(-3)
                .runAt(due)
                .timeout(Duration.ofSeconds(90))
                .dedupeKey("once")
                .concurrencyGroup("heavy")
                .concurrencyKey("k"));

    JobInfo.Spec spec = job(id).spec();
    assertThat(spec.queue()).isEqualTo("slow");
    assertThat(spec.priority()).isEqualTo(-3);
    assertThat(spec.groups()).containsExactly(Group.of("submit"), Group.of("heavy").key("k"));
    assertThat(spec.schedule().runAt()).isEqualTo(due);
    assertThat(spec.schedule().timeout()).contains(Duration.ofSeconds(90));
    assertThat(spec.schedule().dedupeKey()).contains("once");
  }

  @Test
  void submit_delay_isScheduledAndNotClaimed() {
    UUID later = submit(TASK, o -> o.delay(Duration.ofHours(1)));
    UUID now = submit(TASK);

    assertThat(state(later)).isEqualTo(JobState.SCHEDULED);
    assertThat(ids(manualWorker(TASK).claim("submit", 10))).containsExactly(now);
  }

  @Test
  void submit_runAtInThePast_isReadyAtOnce() {
    UUID id = submit(TASK, o -> o.runAt(Instant.EPOCH));

    assertThat(state(id)).isEqualTo(JobState.READY);
    assertThat(ids(manualWorker(TASK).claim("submit", 10))).containsExactly(id);
  }

  @Test
  void submit_payloadOverTheBound_isRefusedAndNothingStored() {
    Sluice small = closing(Sluice.open(fixture.options().maxPayloadBytes(100)));

    assertThat(small.submit(TEXT, "x".repeat(98)).accepted()).isTrue();
    assertThatThrownBy(() -> small.submit(TEXT, "x".repeat(99)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("101 bytes");
    assertThatThrownBy(() -> small.submit(TEXT, "é".repeat(60)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("122 bytes");
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 1L);
  }

  @Test
  void submit_payloadNearTheDefaultBound_isStored() throws Exception {
    String large = "x".repeat((1 << 20) - 2);
    UUID id = sluice.submit(TEXT, large).id();

    assertThat(job(id).spec().payload()).hasSize(1 << 20);
  }

  @Test
  void submit_payloadThatCannotBeWritten_isRefused() {
    record Loop(List<Object> self) {}
    List<Object> itself = new java.util.ArrayList<>();
    itself.add(itself);
    Task<Loop> task = Task.named("loop", Loop.class).build();

    assertThatThrownBy(() -> sluice.submit(task, new Loop(itself)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("loop");
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
  }

  @Test
  void submit_payloadOfAnyText_comesBackAsItWas() throws Exception {
    String text = "quote \" backslash \\ newline \n NUL \0 é 日本 😀 ' ; -- {} $1 ? %s";
    UUID id = sluice.submit(TEXT, text).id();

    ClaimedJob claimed = manualWorker(TEXT).claim("text", 1).get(0);
    ObjectMapper mapper = new ObjectMapper();
    assertThat(mapper.readValue(claimed.payload(), String.class)).isEqualTo(text);
    assertThat(mapper.readValue(job(id).spec().payload(), String.class)).isEqualTo(text);
  }

  @Test
  void submit_payloadThatDoesNotFitTheHandler_failsForGood() {
    UUID id = sluice.submit(Task.named("mixed", String.class).build(), "no number").id();
    closing(worker().handle(task("mixed"), (payload, context) -> {}).start());

    awaitState(id, JobState.FAILED);
    assertThat(job(id).progress().attempt()).isEqualTo(1);
    assertThat(job(id).lastFailure().orElseThrow().type())
        .isEqualTo(PermanentFailure.class.getName());
  }

  @Test
  void submit_dedupeKeyOfUnfinishedJob_answersWithThatJob() {
    Submission first = sluice.submit(TASK, 1, o -> o.dedupeKey("k"));

    assertThat(sluice.submit(TASK, 2, o -> o.dedupeKey("k")))
        .isEqualTo(new Submission.Duplicate(first.id()));
    ManualWorker worker = manualWorker(TASK);
    ClaimedJob running = worker.claim("submit", 10).get(0);
    assertThat(sluice.submit(TASK, 3, o -> o.dedupeKey("k")))
        .as("while it runs")
        .isEqualTo(new Submission.Duplicate(first.id()));
    assertThat(job(first.id()).spec().payload()).isEqualTo("1");
    worker.succeed(running);
  }

  @Test
  void submit_dedupeKeyOfFinishedJob_isANewJob() {
    UUID first = submit(TASK, o -> o.dedupeKey("k"));
    ManualWorker worker = manualWorker(TASK);
    worker.succeed(worker.claim("submit", 1).get(0));

    Submission second = sluice.submit(TASK, 2, o -> o.dedupeKey("k"));
    assertThat(second.accepted()).isTrue();
    assertThat(second.id()).isNotEqualTo(first);
    assertThat(sluice.jobs().cancel(second.id())).isTrue();
    assertThat(sluice.submit(TASK, 3, o -> o.dedupeKey("k")).accepted())
        .as("after it was cancelled")
        .isTrue();
  }

  @Test
  void submit_dedupeKeyOfAnotherTask_isANewJob() {
    submit(TASK, o -> o.dedupeKey("k"));

    assertThat(sluice.submit(task("other"), 1, o -> o.dedupeKey("k")).accepted()).isTrue();
    assertThat(sluice.submit(TASK, 1, o -> o.dedupeKey("K")).accepted()).isTrue();
  }

  @Test
  void submit_dedupeKeyByManyAtOnce_isAcceptedOnce() throws Exception {
    List<Submission> answers =
        onThreads(12, () -> sluice.submit(TASK, 1, o -> o.dedupeKey("race")));

    assertThat(answers).filteredOn(Submission::accepted).hasSize(1);
    assertThat(answers.stream().map(Submission::id).distinct()).hasSize(1);
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 1L);
  }

  @Test
  void submitAll_sameDedupeKeyInOneBatch_keepsTheFirst() {
    List<Submission> answers = sluice.submitAll(TASK, List.of(1, 2, 3), o -> o.dedupeKey("batch"));

    UUID first = answers.get(0).id();
    assertThat(answers)
        .containsExactly(
            new Submission.Submitted(first),
            new Submission.Duplicate(first),
            new Submission.Duplicate(first));
    assertThat(job(first).spec().payload()).isEqualTo("1");
  }

  @Test
  void submit_sameExplicitId_isADuplicateEvenAfterFinishing() throws Exception {
    UUID id = UUID.fromString("7d2f1f10-5d1c-4a53-9f4e-0a5d2f6c1b11");
    List<Submission> answers = onThreads(8, () -> sluice.submit(TASK, 1, o -> o.id(id)));
    assertThat(answers).filteredOn(Submission::accepted).hasSize(1);

    ManualWorker worker = manualWorker(TASK);
    ClaimedJob running = worker.claim("submit", 10).get(0);
    assertThat(sluice.submit(TASK, 2, o -> o.id(id))).isEqualTo(new Submission.Duplicate(id));
    worker.succeed(running);
    assertThat(sluice.submit(TASK, 3, o -> o.id(id))).isEqualTo(new Submission.Duplicate(id));
    assertThat(state(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(worker.claim("submit", 10)).isEmpty();
  }

  @Test
  void submitAll_fiveThousand_answersInOrder() {
    List<Submission> answers = sluice.submitAll(TASK, IntStream.range(0, 5_000).boxed().toList());

    assertThat(answers).hasSize(5_000).allMatch(Submission::accepted);
    List<UUID> ids = answers.stream().map(Submission::id).toList();
    assertThat(new HashSet<>(ids)).hasSize(5_000);
    for (int i : new int[] {0, 1, 999, 1_000, 1_001, 2_500, 4_999}) {
      assertThat(job(ids.get(i)).spec().payload()).isEqualTo(Integer.toString(i));
    }
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 5_000L);
  }

  @Test
  void submitAll_nothing_answersNothing() {
    assertThat(sluice.submitAll(TASK, List.of())).isEmpty();
    assertThat(store.submit(List.of())).isEmpty();
  }

  @Test
  void submit_toAnIdleWorker_wakesIt() throws Exception {
    BlockingQueue<Integer> ran = new LinkedBlockingQueue<>();
    closing(
        worker()
            .poll(pollUnlessPushed())
            .handle(TASK, (payload, context) -> ran.add(payload))
            .start());
    for (int i : new int[] {1, 2, 3}) {
      anotherProcess().submit(TASK, i);
      assertThat(ran.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(i);
    }
  }

  @Test
  void submit_manyProcessesAtOnce_losesNothing() throws Exception {
    List<List<UUID>> answers = onThreads(6, () -> submit(TASK, 200));

    List<UUID> all = answers.stream().flatMap(List::stream).toList();
    assertThat(new HashSet<>(all)).hasSize(1_200);
    assertThat(ids(manualWorker(TASK).claimAll("submit", 2_000)))
        .containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void submit_badOptions_areRefusedBeforeAnythingIsStored() {
    Stream.<Runnable>of(
            () -> submit(TASK, o -> o.concurrencyLimit(-1)),
            () -> submit(TASK, o -> o.queue(" ")),
            () -> submit(TASK, o -> o.delay(Duration.ofSeconds(-1))),
            () -> submit(TASK, o -> o.dedupeKey("")))
        .forEach(bad -> assertThatThrownBy(bad::run).isInstanceOf(InvalidRequestException.class));
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
  }
}
