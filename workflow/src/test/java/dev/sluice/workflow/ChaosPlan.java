package dev.sluice.workflow;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepJobId.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A workflow of the chaos test, and what its jobs are to yield.
 *
 * @param definition the workflow
 * @param cap how many of its steps may be in flight
 * @param results what each job of a run yields, as JSON; these are all the jobs it has
 */
record ChaosPlan(WorkflowDefinition definition, int cap, Map<Place, String> results) {
  /** Yields the square of its payload, sooner or later. */
  static final String SQUARE = "chaos_square";

  /** Yields the numbers below its payload. */
  static final String LIST = "chaos_list";

  /** Yields the sum of the results of the step {@value #EACH}, each times its place in the list. */
  static final String SUM = "chaos_sum";

  static final String EACH = "each";

  /** Runs of all kinds go on side by side. */
  static final List<ChaosPlan> ALL =
      List.of(fanOut("wide", 150, 10, 5), map(300, 6), fanOut("one", 30, 1, 30));

  /** Which of a run's jobs. */
  record Place(Kind kind, int step, int item) {}

  private static ChaosPlan fanOut(String type, int steps, int cap, int perTick) {
    WorkflowDefinition.Builder wide =
        WorkflowDefinition.named(type).maxConcurrentSteps(cap).maxStepsPerTick(perTick);
    Map<Place, String> results = new HashMap<>();
    for (int i = 0; i < steps; i++) {
      wide.step(StepDefinition.named("s" + i).task(SQUARE).input(IntNode.valueOf(i)));
      results.put(new Place(Kind.STEP, i, 0), Integer.toString(i * i));
    }
    return new ChaosPlan(wide.build(), cap, results);
  }

  private static ChaosPlan map(int size, int cap) {
    WorkflowDefinition definition =
        WorkflowDefinition.named("map")
            .maxConcurrentSteps(cap)
            .step(StepDefinition.named("list").task(LIST).input(IntNode.valueOf(size)))
            .step(
                StepDefinition.named(EACH).task(SQUARE).over(Refs.result("list")).dependsOn("list"))
            .step(StepDefinition.named("sum").task(SUM).dependsOn(EACH))
            .build();
    Map<Place, String> results = new HashMap<>();
    String list =
        IntStream.range(0, size).mapToObj(Integer::toString).collect(Collectors.joining(","));
    results.put(new Place(Kind.STEP, 0, 0), "[" + list + "]");
    long sum = 0;
    for (int i = 0; i < size; i++) {
      results.put(new Place(Kind.ITEM, 1, i), Integer.toString(i * i));
      sum += (long) i * i * i;
    }
    results.put(new Place(Kind.STEP, 2, 0), Long.toString(sum));
    return new ChaosPlan(definition, cap, results);
  }

  /** What the jobs of this run are to yield. */
  Map<UUID, String> results(UUID run) {
    Map<UUID, String> all = new HashMap<>();
    results.forEach(
        (place, result) ->
            all.put(new StepJobId(run, place.kind, place.step, 1, place.item).id(), result));
    return all;
  }
}
