package dev.sluice.workflow.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.JobContext;
import dev.sluice.Page;
import dev.sluice.Task;
import dev.sluice.WorkerBuilder;
import dev.sluice.WorkerListener;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RunQuery;
import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.tick.StepJobId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves runs on in a process that has workers: ticks them when one of their jobs has ended here,
 * runs timers, sweeps, and takes live runs over to the definitions this process knows.
 */
public final class WorkflowService implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WorkflowService.class);

  private final JobStore store;
  private final Orchestrator orchestrator;
  private final TickScheduler scheduler;
  private final WorkerListener ends =
      new WorkerListener() {
        @Override
        public void onSuccess(JobContext job, Duration took) {
          heard(job);
        }

        @Override
        public void onFailure(JobContext job, Throwable failure, boolean willRetry) {
          if (!willRetry) {
            heard(job);
          }
        }

        @Override
        public void onCancel(JobContext job) {
          heard(job);
        }

        private void heard(JobContext job) {
          StepJobId.parse(job.jobId()).ifPresent(scheduler::ended);
        }
      };

  /** Starts it. */
  public WorkflowService(JobStore store, Orchestrator orchestrator) {
    this.store = store;
    this.orchestrator = orchestrator;
    this.scheduler = new TickScheduler(orchestrator, most -> store.runs().overdue(most));
    orchestrator.handOverTo(scheduler::heardOf);
  }

  /** Makes a worker part of it. */
  public WorkerBuilder attach(WorkerBuilder worker) {
    return worker
        .handle(Task.named(StepJobs.TIMER, JsonNode.class).build(), (nothing, context) -> {})
        .listener(ends);
  }

  /**
   * Takes live runs over to these definitions, in the background.
   *
   * @param children the definitions of the workflows that a workflow runs
   */
  public void adopt(
      Collection<WorkflowDefinition> definitions,
      Function<WorkflowDefinition, List<WorkflowDefinition>> children) {
    List<WorkflowDefinition> some = List.copyOf(definitions);
    scheduler.execute(() -> some.forEach(each -> adopt(each, children)));
  }

  private void adopt(
      WorkflowDefinition definition,
      Function<WorkflowDefinition, List<WorkflowDefinition>> children) {
    try {
      List<WorkflowDefinition> below = children.apply(definition);
      Set<String> live = RunState.LIVE.stream().map(RunState::toString).collect(Collectors.toSet());
      RunQuery query = RunQuery.ALL.type(definition.type()).states(live).limit(100);
      for (Optional<RunQuery> next = Optional.of(query); next.isPresent(); ) {
        Page<StoredRun> page = store.runs().list(next.get());
        page.items().forEach(run -> adopt(run.run().id(), definition, below));
        next = page.next().map(query::cursor);
      }
    } catch (RuntimeException e) {
      log.warn("Runs of workflow '{}' go on under the definition they have.", definition.type(), e);
    }
  }

  private void adopt(UUID run, WorkflowDefinition definition, List<WorkflowDefinition> children) {
    try {
      orchestrator.adopt(run, definition, children);
    } catch (RuntimeException e) {
      log.warn("The run {} goes on under the definition it has.", run, e);
    }
  }

  @Override
  public void close() {
    scheduler.close();
  }
}
