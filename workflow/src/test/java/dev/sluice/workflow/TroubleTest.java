package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Task;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RunStore;
import dev.sluice.workflow.internal.Charter;
import dev.sluice.workflow.internal.Orchestrator;
import dev.sluice.workflow.internal.RunReader;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepJobId.Kind;
import dev.sluice.workflow.tick.WorkflowGraph;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What once made a run hang, or every tick of it fail, or let it do what nobody wanted. */
class TroubleTest {
  private Sluice sluice;
  private Workflows workflows;
  private Orchestrator orchestrator;

  @BeforeEach
  void open() {
    sluice = Sluice.open("memory:" + UUID.randomUUID());
    workflows = Workflows.on(sluice);
    orchestrator = new Orchestrator(sluice.store(), new RunReader(sluice.store()), 1 << 20);
  }

  @AfterEach
  void close() {
    workflows.close();
    sluice.close();
  }

  private static WorkflowDefinition parse(String type, String steps) {
    return WorkflowDefinition.parse(
        "{\"type\": \"%s\", \"steps\": [%s]}".formatted(type, steps.replace('\'', '"')));
  }

  private void finish(String task) {
    try (HandWorker worker = new HandWorker(sluice.store(), task)) {
      worker.finish(worker.claim());
    }
  }

  private static UUID job(UUID run, int step) {
    return new StepJobId(run, Kind.STEP, step, 1, 0).id();
  }

  private WorkflowRun run(UUID id) {
    return workflows.get(id).orElseThrow();
  }

  private StepState state(UUID run, String step) {
    return run(run).step(step).orElseThrow().state();
  }

  @Test
  void listThatIsNone_failsItsStep() {
    WorkflowDefinition over = parse("w", "{'name': 'a', 'task': 't', 'over': {'$input': ''}}");
    UUID run = workflows.start(over, "[INFO] nothing to do");
    assertThat(run(run).state()).isEqualTo(RunState.FAILED);
    assertThat(run(run).message().orElseThrow()).contains("begins like a list");
  }

  @Test
  void stepThatCannotStart_continue_letsThoseAfterItStart() {
    WorkflowDefinition definition =
        parse(
            "w",
            "{'name': 'a', 'task': 't', 'over': {'$input': '/x'}, 'on_failure': 'continue'},"
                + "{'name': 'b', 'task': 't', 'depends_on': ['a'], 'priority': 5}");
    UUID run = workflows.start(definition, Map.of("x", 1));
    assertThat(state(run, "a")).isEqualTo(StepState.FAILED);
    assertThat(state(run, "b")).isEqualTo(StepState.RUNNING);
  }

  /** With several shards, a task and a group that live apart cannot be in one job. */
  @Test
  void jobThatTheStoreRefuses_failsItsStepAlone() {
    try (Sluice sharded = Sluice.open("memory:" + UUID.randomUUID() + "?shards=8");
        Workflows there = Workflows.on(sharded)) {
      String apart = taskApartFrom(sharded, "gpu");
      WorkflowDefinition definition =
          parse(
              "w",
              "{'name': 'a', 'task': '%s', 'concurrency': {'group': 'gpu'}, 'on_failure': 'continue'},"
                      .formatted(apart)
                  + "{'name': 'b', 'task': 'other'}");
      UUID run = there.start(definition, null);
      assertThat(there.get(run).orElseThrow().step("a").orElseThrow().state())
          .isEqualTo(StepState.FAILED);
      assertThat(sharded.jobs().get(job(run, 1))).isPresent();
      there.cancel(run);
      assertThat(there.get(run).orElseThrow().state()).isEqualTo(RunState.CANCELLED);
    }
  }

  private static String taskApartFrom(Sluice sharded, String group) {
    for (int i = 0; i < 100; i++) {
      Task<String> task = Task.named("task" + i, String.class).build();
      sharded.submit(task, "x");
      try {
        sharded.submit(task, "x", options -> options.concurrencyGroup(group));
      } catch (InvalidRequestException e) {
        return task.name();
      }
    }
    throw new AssertionError("all tasks live in one shard");
  }

  @Test
  void adoption_stepIsUndoneOtherwise_pauses() {
    String failing = "{'name': 'b', 'task': 't', 'depends_on': ['a'], 'on_failure': 'compensate'}";
    UUID run =
        workflows.start(
            parse("w", "{'name': 'a', 'task': 't', 'compensate_with': 'undo'}," + failing), null);
    finish("t");
    workflows.tick(run);
    orchestrator.adopt(run, parse("w", "{'name': 'a', 'task': 't'}," + failing), List.of());
    assertThat(run(run).state()).isEqualTo(RunState.PAUSED);
    assertThat(run(run).message().orElseThrow()).contains("step 'a'").contains("undone otherwise");

    workflows.pause(run);
    assertThat(run(run).message()).as("the reason stays").isPresent();
    workflows.resume(run);
    sluice.jobs().cancel(job(run, 1));
    workflows.tick(run);
    assertThat(run(run).state()).as("under its old definition").isEqualTo(RunState.COMPENSATING);
  }

  @Test
  void adoption_newChild_isKnown() {
    WorkflowDefinition child = parse("child", "{'name': 'x', 'task': 't'}");
    UUID run =
        workflows.start(
            parse(
                "w", "{'name': 'a', 'task': 't'}, {'name': 'b', 'task': 't', 'depends_on': ['a']}"),
            null);
    WorkflowDefinition next =
        parse(
            "w",
            "{'name': 'a', 'task': 't'}, {'name': 'b', 'workflow': 'child', 'depends_on': ['a']}");
    orchestrator.adopt(run, next, List.of(child));
    finish("t");
    workflows.tick(run);
    assertThat(workflows.counts().get("child")).containsEntry("running", 1L);
    finish("t");
    workflows.tick(workflows.list(WorkflowQuery.ALL.type("child")).items().get(0).id());
    assertThat(run(run).state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void adoption_sameInOtherWords_goesOn() {
    ObjectMapper mapper = new ObjectMapper();
    WorkflowDefinition longs =
        WorkflowDefinition.named("w")
            .step(StepDefinition.named("a").task("t").over(mapper.valueToTree(List.of(1L, 2L))))
            .step(StepDefinition.named("b").task("t"))
            .step(StepDefinition.named("c").task("t").dependsOn("a", "b"))
            .step(StepDefinition.named("d").task("t").dependsOn("c"))
            .build();
    UUID run = workflows.start(longs, null);
    finish("t");
    workflows.tick(run);
    WorkflowDefinition next =
        parse(
            "w",
            "{'name': 'a', 'task': 't', 'over': [1, 2]}, {'name': 'b', 'task': 't'},"
                + "{'name': 'c', 'task': 't', 'depends_on': ['b', 'a']},"
                + "{'name': 'd', 'task': 'u', 'depends_on': ['c']}");
    orchestrator.adopt(run, next, List.of());
    assertThat(run(run).state()).isEqualTo(RunState.RUNNING);
    assertThat(run(run).definition()).isEqualTo(next);
  }

  /** A step that had been tried, was removed and gave its number to another, which had its jobs. */
  @Test
  void adoption_stepThatWasTried_mustStay() {
    WorkflowDefinition tried =
        parse(
            "w",
            "{'name': 'hold', 'signal': 'x'}, {'name': 'b', 'task': 't', 'on_failure': 'pause_workflow'}");
    UUID run = workflows.start(tried, null);
    sluice.jobs().cancel(job(run, 1));
    workflows.tick(run);
    workflows.setCaps(run, Caps.NONE.maxConcurrentSteps(0));
    workflows.resume(run);
    assertThat(state(run, "b")).isEqualTo(StepState.PENDING);
    orchestrator.adopt(run, parse("w", "{'name': 'hold', 'signal': 'x'}"), List.of());
    assertThat(run(run).state()).isEqualTo(RunState.PAUSED);
    assertThat(run(run).message().orElseThrow()).contains("step 'b'");
  }

  @Test
  void workflowThatRunsItself_isRefused() {
    WorkflowDefinition first = parse("first", "{'name': 'x', 'workflow': 'second'}");
    WorkflowDefinition second = parse("second", "{'name': 'y', 'workflow': 'first'}");
    workflows.define(first, second);
    assertThatThrownBy(() -> workflows.start("first", null))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'first' would run itself")
        .hasMessageContaining("step 'y'");
    assertThatThrownBy(
            () ->
                WorkflowDefinition.parseAll("[%s, %s]".formatted(first.toJson(), second.toJson())))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(workflows.counts()).isEmpty();
  }

  /** One process was about to create a child, while another called its parent off. */
  @Test
  void cancelled_whileAChildIsBeingCreated_childIsCancelledToo() {
    WorkflowDefinition child = parse("child", "{'name': 'x', 'task': 't'}");
    WorkflowDefinition parent = parse("w", "{'name': 'a', 'workflow': 'child'}");
    AtomicInteger creates = new AtomicInteger();
    JobStore slow =
        before(
            "create",
            () -> {
              if (creates.incrementAndGet() == 2) {
                workflows.cancel(workflows.list(WorkflowQuery.ALL).items().get(0).id());
              }
            });
    UUID run =
        new Workflows(slow, new ObjectMapper(), 1 << 20).define(child, parent).start("w", null);
    workflows.tick(run);
    assertThat(run(run).state()).isEqualTo(RunState.CANCELLED);
    assertThat(workflows.counts().get("child")).containsOnlyKeys("cancelled");
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
  }

  /** The store, with something done before each call of this method. */
  private JobStore before(String name, Runnable action) {
    JobStore store = sluice.store();
    RunStore runs = proxy(RunStore.class, store.runs(), name, action);
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (self, method, arguments) -> {
              if (method.getName().equals("runs")) {
                return runs;
              }
              if (method.getName().equals(name)) {
                action.run();
              }
              return invoke(method, store, arguments);
            });
  }

  private static <T> T proxy(Class<T> type, T target, String name, Runnable action) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals(name)) {
                action.run();
              }
              return invoke(method, target, arguments);
            }));
  }

  private static Object invoke(java.lang.reflect.Method method, Object target, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void start_storeAwayAfterwards_returnsTheRun() {
    AtomicBoolean down = new AtomicBoolean(true);
    JobStore flaky =
        before(
            "submit",
            () -> {
              if (down.getAndSet(false)) {
                throw new StoreUnavailableException("away", null);
              }
            });
    UUID run =
        new Workflows(flaky, new ObjectMapper(), 1 << 20)
            .start(parse("w", "{'name': 'a', 'task': 't'}"), null);
    assertThat(sluice.jobs().get(job(run, 0))).isEmpty();
    workflows.tick(run);
    assertThat(sluice.jobs().get(job(run, 0))).isPresent();
  }

  @Test
  void tooLarge_isRefusedAndNothingIsWritten() {
    WorkflowDefinition waiting = parse("w", "{'name': 'a', 'signal': 'go'}");
    String large = "x".repeat(2 << 20);
    assertThatThrownBy(() -> workflows.start(waiting, large))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("input of workflow 'w'");
    assertThat(workflows.counts()).isEmpty();
    UUID run =
        workflows.start(
            parse(
                "w",
                "{'name': 'a', 'task': 't'}, {'name': 'b', 'signal': 'go', 'depends_on': ['a']}"),
            null);
    assertThatThrownBy(() -> workflows.signal(run, "go", large))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("signal 'go'");
    String half = "x".repeat(200_000);
    workflows.signal(run, "go", half);
    assertThatThrownBy(() -> workflows.signal(run, "go", half))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("are kept");
    assertThatThrownBy(() -> workflows.signal(run, "gone", 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("known are: go");
  }

  @Test
  void fewStepsPerTick_looksDoNotGrowWithWhatIsInFlight() {
    AtomicInteger looked = new AtomicInteger();
    Consumer<TickReport> count = report -> looked.addAndGet(report.work().looked());
    workflows.listener(count::accept);
    WorkflowDefinition definition =
        WorkflowDefinition.named("w")
            .maxStepsPerTick(5)
            .step(StepDefinition.named("a").task("t").over(Refs.input("")))
            .build();
    workflows.start(definition, IntStream.range(0, 500).boxed().toList());
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 500L);
    // Each is looked at once a second at most; without that, it would be 25,000 looks.
    assertThat(looked.get()).isLessThan(10_000);
  }

  @Test
  void undoing_isInTheQueueOfTheStep() {
    UUID run =
        workflows.start(
            parse(
                "w",
                "{'name': 'a', 'task': 't', 'compensate_with': 'undo', 'queue': 'gpu'},"
                    + "{'name': 'b', 'task': 'u', 'depends_on': ['a'], 'on_failure': 'compensate'}"),
            null);
    try (HandWorker worker = HandWorker.ofQueue(sluice.store(), "gpu", "t")) {
      worker.finish(worker.claim());
    }
    workflows.tick(run);
    sluice.jobs().cancel(job(run, 1));
    workflows.tick(run);
    UUID undo = new StepJobId(run, Kind.COMPENSATION, 0, 1, 0).id();
    assertThat(sluice.jobs().get(undo).orElseThrow().spec().queue()).isEqualTo("gpu");
  }

  @Test
  void stepOfATaskWithAPointerOnRecord_isInTheGroup() {
    Group tenant = Group.of("t").anyValueOf("tenant");
    sluice.concurrency().setLimit(tenant, 2, "/tenant");

    UUID run =
        workflows.start(
            parse("w", "{'name': 'a', 'task': 't', 'input': {'tenant': 'acme'}}"), null);

    assertThat(sluice.jobs().get(job(run, 0)).orElseThrow().spec().groups())
        .containsExactlyInAnyOrder(Group.of("t"), tenant.value("acme"));
  }

  /** Runs that nobody here can tick were first in line again and again. */
  @Test
  void runThatCannotBeTicked_wantsAttentionLater() {
    WorkflowDefinition definition = parse("w", "{'name': 'a', 'task': 't'}");
    Charter charter =
        new Charter(
            new WorkflowGraph(definition), List.of(), NullNode.getInstance(), Optional.empty());
    UUID id = orchestrator.create(charter);
    RunStore runs = sluice.store().runs();
    RunStore.StoredRun stored = runs.get(id).orElseThrow();
    RunStore.Run broken =
        new RunStore.Run(
            id,
            "w",
            "running",
            true,
            Optional.of(java.time.Duration.ZERO),
            new RunStore.Texts(stored.run().texts().charter(), "what a later version wrote"));
    runs.replace(broken, stored.version(), Optional.empty());
    Stage.await().until(() -> runs.overdue(10).contains(id));

    try (Workflows serving = Workflows.on(sluice)) {
      serving.serve(sluice.worker());
      Stage.await().until(() -> runs.overdue(10).isEmpty());
      assertThat(serving.list(WorkflowQuery.ALL).items()).isEmpty();
    }
    assertThat(runs.get(id).orElseThrow().run().texts().content())
        .isEqualTo("what a later version wrote");
  }
}
