package dev.sluice.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.workflow.tick.StepJobId;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many steps a tick starts, counted in what it asks of the store. */
class StepsPerTickTest {
  private static final int PER_TICK = 5;

  private final TickTally tally = new TickTally();

  @Test
  void oneOrchestrator_everySubmitKeepsToTheCapOfTheTick() {
    try (JobStore store = StoreProviders.open("memory:" + UUID.randomUUID(), settings());
        Workflows workflows = workflows(tally.watch(store));
        HandWorker worker = new HandWorker(store, "work")) {
      UUID run = workflows.start(WorkflowContract.fanOut(23, 12, PER_TICK), null);
      assertThat(tally.submitted).as("until the run is full").containsExactly(5, 5, 2);
      workflows.tick(run);
      assertThat(tally.submitted).as("while it is full").hasSize(3);

      worker.finish(worker.claim());
      workflows.tick(run);
      assertThat(tally.submitted).containsExactly(5, 5, 2, 5, 5, 1);
      assertThat(tally.started).isEqualTo(tally.submitted);
      worker.finish(worker.claim());
      workflows.tick(run);
      assertThat(workflows.get(run).orElseThrow().state()).isEqualTo(RunState.SUCCEEDED);
      assertThat(new HashSet<>(tally.stored)).hasSize(23).hasSameSizeAs(tally.stored);
    }
  }

  @Test
  void mapAndSteps_shareTheCapOfTheTick() {
    WorkflowDefinition definition =
        WorkflowContract.workflow()
            .maxStepsPerTick(PER_TICK)
            .step(WorkflowContract.work("a").priority(1))
            .step(WorkflowContract.work("b").priority(1))
            .step(WorkflowContract.work("each").over(Refs.input("")))
            .build();
    try (JobStore store = StoreProviders.open("memory:" + UUID.randomUUID(), settings());
        Workflows workflows = workflows(tally.watch(store))) {
      workflows.start(definition, IntStream.range(0, 12).boxed().toList());
      assertThat(tally.submitted).containsExactly(5, 5, 4);
    }
  }

  /**
   * A tick that finds a decision another process is just carrying out submits its jobs too, so what
   * counts here is what each has written, and that each job came into being once.
   */
  @Test
  void fourProcesses_noneStartsMoreInATick() throws Exception {
    try (Stage stage = new Stage("memory:" + UUID.randomUUID())) {
      Task<Integer> work = Task.named("work", Integer.class).build();
      UUID run = null;
      for (int i = 0; i < 4; i++) {
        Sluice sluice = stage.open();
        Workflows workflows = stage.closing(workflows(tally.watch(sluice.store())));
        Worker worker =
            workflows.serve(Stage.builder(sluice)).handle(work, (payload, context) -> {}).start();
        stage.closing(worker);
        run = run == null ? workflows.start(WorkflowContract.fanOut(200, 40, PER_TICK), null) : run;
      }
      Workflows client = stage.closing(Workflows.on(stage.open()));
      WorkflowContract.awaitState(client, run, RunState.SUCCEEDED);
      assertThat(tally.started).allMatch(started -> started <= PER_TICK);
      assertThat(tally.started.stream().mapToInt(Integer::intValue).sum()).isEqualTo(200);
      assertThat(tally.stored).containsExactlyInAnyOrderElementsOf(jobs(run, 200));
    }
  }

  private static List<UUID> jobs(UUID run, int steps) {
    return IntStream.range(0, steps)
        .mapToObj(i -> new StepJobId(run, StepJobId.Kind.STEP, i, 1, 0).id())
        .toList();
  }

  private static Workflows workflows(JobStore store) {
    return new Workflows(store, new ObjectMapper(), SluiceOptions.DEFAULT_MAX_PAYLOAD_BYTES);
  }

  private static StoreSettings settings() {
    return new StoreSettings("ticks", 4);
  }
}
