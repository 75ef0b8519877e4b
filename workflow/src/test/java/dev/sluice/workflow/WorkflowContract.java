package dev.sluice.workflow;

import static dev.sluice.workflow.Stage.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.PermanentFailure;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.workflow.tick.StepJobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What workflows do, on any store. */
@Timeout(300)
abstract class WorkflowContract {
  static final Task<JsonNode> WORK =
      Task.named("work", JsonNode.class).retry(RetryPolicy.NONE).build();
  static final Task<JsonNode> OTHER =
      Task.named("other", JsonNode.class).retry(RetryPolicy.NONE).build();

  Stage stage;

  abstract String url();

  @BeforeEach
  void openStage() {
    stage = new Stage(url());
  }

  @AfterEach
  void closeStage() throws Exception {
    stage.close();
  }

  static StepDefinition.Builder work(String name, String... after) {
    return StepDefinition.named(name).task("work").dependsOn(after);
  }

  static WorkflowDefinition.Builder workflow() {
    return WorkflowDefinition.named("w");
  }

  static WorkflowDefinition fanOut(int steps, int cap, int perTick) {
    WorkflowDefinition.Builder wide = workflow().maxConcurrentSteps(cap).maxStepsPerTick(perTick);
    IntStream.range(0, steps).forEach(i -> wide.step(work("s" + i)));
    return wide.build();
  }

  static void awaitState(Workflows workflows, UUID run, RunState state) {
    await()
        .untilAsserted(() -> assertThat(workflows.get(run).orElseThrow().state()).isEqualTo(state));
  }

  static StepState stepState(Workflows workflows, UUID run, String step) {
    return workflows.get(run).orElseThrow().step(step).orElseThrow().state();
  }

  static UUID runOf(UUID job) {
    return StepJobId.parse(job).orElseThrow().run();
  }

  @Test
  void fanOut_thousandSteps_fourWorkers_twoRuns_eachKeepsItsCap() {
    InFlight inFlight = new InFlight();
    List<Integer> started = new CopyOnWriteArrayList<>();
    List<Workflows> processes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Workflows workflows =
          stage.serve(
              worker ->
                  worker.handle(
                      WORK,
                      (payload, context) -> {
                        long from = System.nanoTime();
                        Thread.sleep(1);
                        inFlight.handled(runOf(context.jobId()), from, System.nanoTime());
                      }));
      workflows.listener(report -> started.add(report.work().started()));
      processes.add(workflows);
    }
    UUID first = processes.get(0).start(fanOut(1_000, 10, 5), null);
    UUID second = processes.get(1).start(fanOut(200, 3, 5), null);

    awaitState(processes.get(2), first, RunState.SUCCEEDED);
    awaitState(processes.get(3), second, RunState.SUCCEEDED);
    assertThat(inFlight.count(first)).isEqualTo(1_000);
    assertThat(inFlight.count(second)).isEqualTo(200);
    assertThat(inFlight.peaks().get(first)).isLessThanOrEqualTo(10);
    assertThat(inFlight.peaks().get(second)).isLessThanOrEqualTo(3);
    assertThat(Collections.max(started)).isLessThanOrEqualTo(5);
  }

  @Test
  void noWorker_hundredTicks_noMoreJobsThanTheCap() {
    Sluice sluice = stage.open();
    Workflows workflows = stage.closing(Workflows.on(sluice));
    UUID run = workflows.start(fanOut(1_000, 10, 1_000), null);
    for (int i = 0; i < 100; i++) {
      workflows.tick(run);
    }
    assertThat(sluice.jobs().list(JobQuery.ALL.limit(1_000)).items()).hasSize(10);
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 10L);

    workflows.setCaps(run, Caps.NONE.maxConcurrentSteps(12));
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 12L);
    workflows.setCaps(run, Caps.NONE.maxConcurrentSteps(0));
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 12L);
  }

  @Test
  void results_flowFromStepToStep() {
    Workflows[] self = new Workflows[1];
    self[0] =
        stage.serve(
            worker ->
                worker
                    .handleReturning(
                        WORK, (payload, context) -> Map.of("twice", payload.get("n").asInt() * 2))
                    .handleReturning(
                        OTHER,
                        (payload, context) -> {
                          StepContext step = self[0].step(context);
                          int input = step.input(JsonNode.class).get("n").asInt();
                          int twice = step.result("double", JsonNode.class).get("twice").asInt();
                          return List.of(
                              step.workflow(), step.step(), input, twice, payload.asInt());
                        }));
    WorkflowDefinition definition =
        workflow()
            .step(work("double"))
            .step(
                StepDefinition.named("sum")
                    .task("other")
                    .dependsOn("double")
                    .input(Refs.result("double/twice")))
            .output(Refs.result("sum"))
            .build();
    UUID run = self[0].start(definition, Map.of("n", 21));
    awaitState(self[0], run, RunState.SUCCEEDED);
    assertThat(self[0].result(run, "sum").toString()).isEqualTo("[\"w\",\"sum\",21,42,42]");
    assertThat(self[0].get(run).orElseThrow().data().output().orElseThrow().get(3).asInt())
        .isEqualTo(42);
  }

  @Test
  void map_overAnEarlierResult_resultsAreReadInOrder() {
    int size = 1_200;
    Workflows[] self = new Workflows[1];
    InFlight inFlight = new InFlight();
    self[0] =
        stage.serve(
            worker ->
                worker
                    .handleReturning(
                        WORK,
                        (payload, context) -> {
                          long from = System.nanoTime();
                          int squared = payload.asInt() * payload.asInt();
                          Thread.sleep(1);
                          inFlight.handled(runOf(context.jobId()), from, System.nanoTime());
                          return squared;
                        })
                    .handleReturning(
                        OTHER,
                        (payload, context) -> {
                          StepContext step = self[0].step(context);
                          if (step.step().equals("list")) {
                            return IntStream.range(0, size).boxed().toList();
                          }
                          int next = 0;
                          long sum = 0;
                          for (Iterator<Integer> all = step.results("each", Integer.class);
                              all.hasNext();
                              next++) {
                            int result = all.next();
                            if (result != next * next) {
                              throw new PermanentFailure("out of order at " + next);
                            }
                            sum += result;
                          }
                          return sum;
                        }));
    WorkflowDefinition definition =
        workflow()
            .maxConcurrentSteps(40)
            .step(StepDefinition.named("list").task("other"))
            .step(work("each", "list").over(Refs.result("list")))
            .step(StepDefinition.named("sum").task("other").dependsOn("each"))
            .build();
    UUID run = self[0].start(definition, null);
    awaitState(self[0], run, RunState.SUCCEEDED);
    assertThat(self[0].result(run, "sum").asLong())
        .isEqualTo(IntStream.range(0, size).mapToLong(i -> (long) i * i).sum());
    assertThat(inFlight.peaks().get(run)).isLessThanOrEqualTo(40);
    assertThat(self[0].get(run).orElseThrow().step("each").orElseThrow().items())
        .contains(new WorkflowRun.Items(size, size, 0, 0));
  }

  @Test
  void limitedTask_capAndLimitBothHold() {
    Task<JsonNode> limited = Task.named("work", JsonNode.class).maxConcurrent(2).build();
    InFlight inFlight = new InFlight();
    Workflows workflows =
        stage.serve(
            worker ->
                worker.handle(
                    limited,
                    (payload, context) -> {
                      long from = System.nanoTime();
                      Thread.sleep(2);
                      inFlight.handled(runOf(context.jobId()), from, System.nanoTime());
                    }));
    UUID run = workflows.start(fanOut(30, 6, 5), null);
    awaitState(workflows, run, RunState.SUCCEEDED);
    assertThat(inFlight.peaks().get(run)).isLessThanOrEqualTo(2);
  }

  @Test
  void taskLimitedPerTenant_limitHoldsInWorkflowsToo() {
    Task<JsonNode> limited =
        Task.named("work", JsonNode.class)
            .maxConcurrentPer("tenant", payload -> payload.path("tenant").asText(), 1)
            .build();
    Map<String, InFlight> byTenant = new ConcurrentHashMap<>();
    Workflows workflows =
        stage.serve(
            worker ->
                worker.handle(
                    limited,
                    (payload, context) -> {
                      long from = System.nanoTime();
                      Thread.sleep(2);
                      byTenant
                          .computeIfAbsent(payload.get("tenant").asText(), any -> new InFlight())
                          .handled(runOf(context.jobId()), from, System.nanoTime());
                    }));
    WorkflowDefinition definition =
        workflow()
            .step(
                StepDefinition.named("each")
                    .task(limited)
                    .over(Refs.input(""))
                    .concurrencyPer("tenant", Refs.item("/tenant")))
            .build();
    List<Map<String, String>> orders =
        IntStream.range(0, 30).mapToObj(i -> Map.of("tenant", "t" + i % 3)).toList();
    UUID run = workflows.start(definition, orders);
    awaitState(workflows, run, RunState.SUCCEEDED);
    assertThat(byTenant).hasSize(3);
    byTenant.forEach(
        (tenant, inFlight) -> {
          assertThat(inFlight.count(run)).as(tenant).isEqualTo(10);
          assertThat(inFlight.peaks().get(run)).as(tenant).isEqualTo(1);
        });
  }

  @Test
  void jobCancelledOrEndedBehindItsBack_nextTickSees() throws Exception {
    Sluice sluice = stage.open();
    Workflows workflows = stage.closing(Workflows.on(sluice));
    UUID run =
        workflows.start(
            workflow()
                .maxConcurrentSteps(2)
                .step(work("a").onFailure(OnFailure.CONTINUE))
                .step(work("b"))
                .step(work("c"))
                .step(work("d"))
                .build(),
            null);
    UUID jobOfA = job(run, 0);
    assertThat(sluice.jobs().cancel(jobOfA)).isTrue();
    workflows.tick(run);
    assertThat(stepState(workflows, run, "a")).isEqualTo(StepState.FAILED);
    assertThat(stepState(workflows, run, "c")).as("its place is used").isEqualTo(StepState.RUNNING);

    // A worker that knows nothing of workflows.
    stage.start(Stage.builder(stage.open()).handle(WORK, (payload, context) -> {}));
    await()
        .until(
            () ->
                List.of(job(run, 1), job(run, 2)).stream()
                    .allMatch(
                        id -> sluice.jobs().get(id).orElseThrow().state() == JobState.SUCCEEDED));
    workflows.tick(run);
    assertThat(stepState(workflows, run, "d")).isEqualTo(StepState.RUNNING);
    await().until(() -> sluice.jobs().get(job(run, 3)).orElseThrow().state() == JobState.SUCCEEDED);
    workflows.tick(run);
    assertThat(workflows.get(run).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
  }

  static UUID job(UUID run, int step) {
    return new StepJobId(run, StepJobId.Kind.STEP, step, 1, 0).id();
  }

  @Test
  void retention_liveRunKeepsItsJobs() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Workflows workflows =
        stage.serve(
            worker ->
                worker
                    .handleReturning(WORK, (payload, context) -> "kept")
                    .handle(OTHER, (payload, context) -> go.await()));
    UUID run =
        workflows.start(
            workflow()
                .step(work("a"))
                .step(StepDefinition.named("b").task("other").dependsOn("a"))
                .build(),
            null);
    await().until(() -> stepState(workflows, run, "b") == StepState.RUNNING);
    Sluice sluice = stage.open();
    sluice.jobs().purge(Duration.ZERO);
    assertThat(workflows.result(run, "a").asText()).isEqualTo("kept");
    go.countDown();
    awaitState(workflows, run, RunState.SUCCEEDED);
    await().until(() -> sluice.jobs().purge(Duration.ZERO) + purged(sluice, run) > 0);
    assertThat(sluice.jobs().get(job(run, 0))).isEmpty();
  }

  private static int purged(Sluice sluice, UUID run) {
    return sluice.jobs().get(job(run, 0)).isEmpty() ? 1 : 0;
  }

  @Test
  void sleepSignalAndChild_waitAndGoOn() {
    WorkflowDefinition child =
        WorkflowDefinition.named("child").step(work("inner")).output(Refs.result("inner")).build();
    WorkflowDefinition parent =
        workflow()
            .maxConcurrentSteps(1)
            .step(StepDefinition.named("nap").sleep(Duration.ofMillis(300)))
            .step(StepDefinition.named("ask").signal("answer", Duration.ofHours(1)))
            .step(
                StepDefinition.named("sub")
                    .workflow("child")
                    .dependsOn("nap", "ask")
                    .input(Refs.result("ask")))
            .output(Refs.result("sub"))
            .build();
    Workflows workflows =
        stage.serve(
            worker -> worker.handleReturning(WORK, (payload, context) -> payload.asText() + "!"),
            parent,
            child);
    UUID run = workflows.start("w", null);
    await().until(() -> stepState(workflows, run, "nap") == StepState.SUCCEEDED);
    awaitState(workflows, run, RunState.WAITING_SIGNAL);
    workflows.signal(run, "answer", "yes");
    awaitState(workflows, run, RunState.SUCCEEDED);
    assertThat(workflows.get(run).orElseThrow().data().output().orElseThrow().asText())
        .isEqualTo("yes!");
    assertThatThrownBy(() -> workflows.signal(run, "answer", "again"))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(workflows.counts())
        .isEqualTo(Map.of("w", Map.of("succeeded", 1L), "child", Map.of("succeeded", 1L)));
  }

  @Test
  void signalTimeout_failsTheStep() {
    Workflows workflows = stage.serve(worker -> worker.handle(WORK, (payload, context) -> {}));
    UUID run =
        workflows.start(
            workflow()
                .step(StepDefinition.named("ask").signal("answer", Duration.ofMillis(200)))
                .build(),
            null);
    awaitState(workflows, run, RunState.FAILED);
    assertThat(workflows.get(run).orElseThrow().message().orElseThrow())
        .contains("'answer' did not come in time");
  }

  @Test
  void compensation_reverseOrder() {
    List<String> undone = new CopyOnWriteArrayList<>();
    Workflows[] self = new Workflows[1];
    self[0] =
        stage.serve(
            worker ->
                worker
                    .handle(
                        WORK,
                        (payload, context) -> {
                          if (self[0].step(context).step().equals("last")) {
                            throw new PermanentFailure("no more");
                          }
                        })
                    .handle(OTHER, (payload, context) -> undone.add(self[0].step(context).step())));
    UUID run =
        self[0].start(
            workflow()
                .maxConcurrentSteps(1)
                .step(work("a").compensateWith("other"))
                .step(work("b", "a").compensateWith("other"))
                .step(work("c", "b"))
                .step(work("last", "c").onFailure(OnFailure.COMPENSATE))
                .build(),
            null);
    awaitState(self[0], run, RunState.FAILED);
    assertThat(undone).containsExactly("b", "a");
  }

  @Test
  void pauseResumeCancelRetry_whileStepsRun() {
    AtomicBoolean broken = new AtomicBoolean(true);
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    Workflows[] self = new Workflows[1];
    self[0] =
        stage.serve(
            worker ->
                worker.handle(
                    WORK,
                    (payload, context) -> {
                      String step = self[0].step(context).step();
                      runs.merge(step, 1, Integer::sum);
                      if (step.equals("b") && broken.get()) {
                        throw new PermanentFailure("broken");
                      }
                    }));
    WorkflowDefinition definition =
        workflow().step(work("a")).step(work("b", "a")).step(work("c", "b")).build();
    UUID failed = self[0].start(definition, null);
    awaitState(self[0], failed, RunState.FAILED);
    broken.set(false);
    self[0].retry(failed);
    awaitState(self[0], failed, RunState.SUCCEEDED);
    assertThat(runs).isEqualTo(Map.of("a", 1, "b", 2, "c", 1));

    UUID held = self[0].start(definition, null);
    self[0].setCaps(held, Caps.NONE.maxConcurrentSteps(0));
    self[0].cancel(held);
    awaitState(self[0], held, RunState.CANCELLED);
    assertThatThrownBy(() -> self[0].pause(held)).isInstanceOf(InvalidRequestException.class);
    self[0].setCaps(held, Caps.NONE);
    self[0].retry(held);
    awaitState(self[0], held, RunState.SUCCEEDED);

    UUID paused = self[0].start(fanOut(20, 1, 1), null);
    self[0].pause(paused);
    assertThat(self[0].get(paused).orElseThrow().state()).isEqualTo(RunState.PAUSED);
    self[0].resume(paused);
    awaitState(self[0], paused, RunState.SUCCEEDED);
  }

  @Test
  void definitionChanged_adoptedOrPausedWithTheStepsName() {
    Workflows client = stage.closing(Workflows.on(stage.open()));
    WorkflowDefinition old = workflow().step(work("a")).step(work("b", "a")).build();
    UUID run = client.start(old, null);
    WorkflowDefinition more =
        workflow()
            .step(work("a"))
            .step(work("b", "a"))
            .step(work("c", "b"))
            .maxConcurrentSteps(7)
            .build();
    stage.serve(worker -> worker.handle(OTHER, (payload, context) -> {}), more);
    await().until(() -> client.get(run).orElseThrow().steps().size() == 3);
    assertThat(client.get(run).orElseThrow().data().caps()).isEqualTo(Caps.NONE);

    WorkflowDefinition gone = workflow().step(work("other")).build();
    stage.serve(worker -> worker.handle(OTHER, (payload, context) -> {}), gone);
    awaitState(client, run, RunState.PAUSED);
    assertThat(client.get(run).orElseThrow().message().orElseThrow()).contains("step 'a'");

    stage.serve(worker -> worker.handle(WORK, (payload, context) -> {}), more);
    client.resume(run);
    awaitState(client, run, RunState.SUCCEEDED);
  }

  @Test
  void readsPerTick_doNotGrowWithWhatIsDone() {
    List<Integer> looked = new CopyOnWriteArrayList<>();
    Workflows workflows = stage.serve(worker -> worker.handle(WORK, (payload, context) -> {}));
    workflows.listener(report -> looked.add(report.work().looked()));
    UUID run = workflows.start(fanOut(300, 10, 10), null);
    awaitState(workflows, run, RunState.SUCCEEDED);
    assertThat(Collections.max(looked)).isLessThanOrEqualTo(10);
  }
}
