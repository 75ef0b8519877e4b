package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.RetryPolicy;
import dev.sluice.SluiceOptions;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RunQuery;
import dev.sluice.spi.RunStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.workflow.CrashingJobStore.Crash;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepJobId.Kind;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An orchestrator that dies after every single call to the store in turn, and one that comes after
 * it: no step is lost, none runs twice, the cap holds, and the run completes.
 */
class CrashIT {
  private static final int CAP = 3;
  private static final int STEPS = 11;

  private static final WorkflowDefinition CHILD =
      WorkflowDefinition.named("child").step(StepDefinition.named("inner").task("work")).build();

  private static final WorkflowDefinition DEFINITION =
      WorkflowDefinition.named("w")
          .maxConcurrentSteps(CAP)
          .maxStepsPerTick(2)
          .step(StepDefinition.named("a").task("work"))
          .step(StepDefinition.named("b").task("work"))
          .step(StepDefinition.named("c").task("work").dependsOn("a"))
          .step(StepDefinition.named("d").task("work").dependsOn("a", "b"))
          .step(
              StepDefinition.named("each").task("work").over(Refs.result("d")).dependsOn("c", "d"))
          .step(StepDefinition.named("sub").workflow("child").dependsOn("b"))
          .step(StepDefinition.named("end").task("work").dependsOn("each", "sub"))
          .output(Refs.result("end"))
          .build();

  /** Waits, fails, is tried again, fails for good, and is undone; another of its steps goes on. */
  private static final WorkflowDefinition UNDONE =
      WorkflowDefinition.named("w")
          .maxConcurrentSteps(CAP)
          .step(StepDefinition.named("a").task("work").compensateWith("work"))
          .step(StepDefinition.named("b").task("work").compensateWith("work").dependsOn("a"))
          .step(StepDefinition.named("nap").sleep(Duration.ofMillis(1)).dependsOn("a"))
          .step(
              StepDefinition.named("bad")
                  .task(HandWorker.FAILING)
                  .dependsOn("nap", "b")
                  .retry(
                      RetryPolicy.exponential()
                          .maxAttempts(2)
                          .firstDelay(Duration.ofMillis(1))
                          .build())
                  .onFailure(OnFailure.COMPENSATE))
          .step(StepDefinition.named("never").task("work").dependsOn("bad"))
          .build();

  /** Jobs of a, b, its timer, two of bad, and two that undo. */
  private static final int JOBS_OF_UNDONE = 7;

  @ParameterizedTest
  @ValueSource(strings = {"memory", "postgres"})
  void crashAfterEveryCall_theNextOneHeals(String kind) {
    crashEverywhere(kind, DEFINITION, RunState.SUCCEEDED, STEPS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "postgres"})
  void crashAfterEveryCall_failedRunIsUndoneOnce(String kind) {
    crashEverywhere(kind, UNDONE, RunState.FAILED, JOBS_OF_UNDONE);
  }

  private static void crashEverywhere(
      String kind, WorkflowDefinition definition, RunState end, int jobs) {
    String url =
        kind.equals("memory")
            ? "memory:crash"
            : "embedded:" + PostgresWorkflowIT.SERVER.dataDirectory();
    String schema = "crash_" + UUID.randomUUID().toString().replace("-", "");
    boolean survived = false;
    int calls = 1;
    try (JobStore store = StoreProviders.open(url, new StoreSettings(schema, 4))) {
      for (; !survived; calls++) {
        survived = play(store, calls, definition, end, jobs);
      }
    } catch (AssertionError e) {
      throw new AssertionError("crash after call " + calls, e);
    }
    assertThat(calls).as("calls that a whole run takes").isGreaterThan(30);
  }

  private static Workflows workflows(JobStore store, WorkflowDefinition definition) {
    return new Workflows(store, new ObjectMapper(), SluiceOptions.DEFAULT_MAX_PAYLOAD_BYTES)
        .define(definition, CHILD);
  }

  /**
   * Whether the first orchestrator lived to the end. The run has ended then, and the next one is
   * played in the same store.
   */
  private static boolean play(
      JobStore store, int calls, WorkflowDefinition definition, RunState end, int jobs) {
    CrashingJobStore crashing = new CrashingJobStore(store, calls);
    Workflows current;
    boolean crashed = false;
    try (HandWorker worker =
        new HandWorker(store, "work", HandWorker.FAILING, "sluice.workflow.timer")) {
      try {
        current = workflows(crashing.view(), definition);
        current.start("w", null);
      } catch (Crash e) {
        crashed = true;
        current = workflows(store, definition);
      }
      List<UUID> started = goingOn(store, "w");
      if (started.isEmpty()) {
        assertThat(crashed).isTrue();
        return false;
      }
      UUID run = started.get(0);
      for (int turn = 0;
          workflows(store, definition).get(run).orElseThrow().state() != end;
          turn++) {
        assertThat(turn).as("it never ends").isLessThan(300);
        try {
          current.tick(run);
        } catch (Crash e) {
          crashed = true;
          current = workflows(store, definition);
        }
        List<ClaimedJob> running = worker.claim();
        assertThat(running.stream().filter(job -> counts(run, job)).count())
            .isLessThanOrEqualTo(CAP);
        // One at a time, so that a tick sees every mixture of what has ended and what has not.
        running.forEach(job -> worker.finish(List.of(job)));
        tickChildren(store, current, run);
      }
      assertThat(worker.ran.values()).as("nothing ran twice").containsOnly(1);
      assertThat(worker.ran).as("nothing was lost").hasSize(jobs);
      return !crashed;
    }
  }

  private static boolean counts(UUID run, ClaimedJob job) {
    StepJobId id = StepJobId.parse(job.id()).orElseThrow();
    return id.run().equals(run) && (id.kind() == Kind.STEP || id.kind() == Kind.ITEM);
  }

  /** What the end of a child's job would have brought about. */
  private static void tickChildren(JobStore store, Workflows current, UUID run) {
    for (UUID child : goingOn(store, "child")) {
      try {
        current.tick(child);
      } catch (Crash e) {
        workflows(store, DEFINITION).tick(child);
      }
    }
  }

  private static List<UUID> goingOn(JobStore store, String type) {
    return store.runs().list(RunQuery.ALL.type(type)).items().stream()
        .map(RunStore.StoredRun::run)
        .filter(RunStore.Run::live)
        .map(RunStore.Run::id)
        .toList();
  }
}
