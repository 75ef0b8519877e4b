package dev.sluice.workflow.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.spi.JobStore;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepJobId.Kind;
import dev.sluice.workflow.tick.StepProgress;
import dev.sluice.workflow.tick.StepProgress.Items;
import dev.sluice.workflow.tick.StepProgress.Value;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Results of steps. They stay with the jobs that yielded them, and are read when needed. */
public final class StepResults {
  private static final int PAGE = 500;

  private final JobStore store;

  /** Reads from this store. */
  public StepResults(JobStore store) {
    this.store = store;
  }

  /** The result of a step; null if it has none. That of a step over a list is a list. */
  public JsonNode of(LoadedRun run, int index) {
    StepProgress step = run.step(index);
    if (step.extra() instanceof Value value) {
      return value.value();
    }
    StepWork work = run.graph().step(index).work();
    if (work instanceof StepWork.Each) {
      ArrayNode all = JsonNodeFactory.instance.arrayNode();
      items(run, index).forEachRemaining(all::add);
      return all;
    }
    if (step.state() != StepState.SUCCEEDED || !(work instanceof StepWork.Call)) {
      return NullNode.getInstance();
    }
    UUID job = new StepJobId(run.id(), Kind.STEP, step.number(), step.attempt(), 0).id();
    List<JobInfo> found = store.jobs().getAll(List.of(job), run.stored().createdAt());
    if (found.isEmpty()) {
      throw new InvalidRequestException(
          "the result of step '%s' of run %s is gone: its job %s was removed"
              .formatted(run.graph().step(index).name(), run.id(), job));
    }
    return result(found.get(0));
  }

  /** The results of a step over a list, in order, read some at a time; null where there is none. */
  public Iterator<JsonNode> items(LoadedRun run, int index) {
    StepProgress step = run.step(index);
    int size = step.items().map(Items::begun).orElse(0);
    return new Iterator<>() {
      private int next;
      private Map<UUID, JobInfo> page = Map.of();

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      public JsonNode next() {
        if (next >= size) {
          throw new NoSuchElementException();
        }
        if (next % PAGE == 0) {
          List<UUID> ids =
              IntStream.range(next, Math.min(size, next + PAGE)).mapToObj(this::id).toList();
          page =
              store.jobs().getAll(ids, run.stored().createdAt()).stream()
                  .collect(Collectors.toMap(JobInfo::id, Function.identity()));
        }
        JobInfo job = page.get(id(next++));
        return job == null ? NullNode.getInstance() : result(job);
      }

      private UUID id(int item) {
        int attempt = step.items().orElseThrow().attempt(item);
        return new StepJobId(run.id(), Kind.ITEM, step.number(), attempt, item).id();
      }
    };
  }

  private static JsonNode result(JobInfo job) {
    return job.state() == JobState.SUCCEEDED && job.outcome().result().isPresent()
        ? Charter.tree(job.outcome().result().get())
        : NullNode.getInstance();
  }
}
