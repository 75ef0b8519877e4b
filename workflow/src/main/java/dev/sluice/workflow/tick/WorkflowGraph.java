package dev.sluice.workflow.tick;

import dev.sluice.workflow.StepDefinition;
import dev.sluice.workflow.WorkflowDefinition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A definition with what follows from it, worked out once. */
public final class WorkflowGraph {
  private final WorkflowDefinition definition;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final int[][] dependencies;
  private final List<Integer> startOrder;

  /** The graph of this definition. */
  public WorkflowGraph(WorkflowDefinition definition) {
    this.definition = definition;
    List<StepDefinition> steps = definition.steps();
    for (int i = 0; i < steps.size(); i++) {
      indexes.put(steps.get(i).name(), i);
    }
    dependencies =
        steps.stream()
            .map(step -> step.dependsOn().stream().mapToInt(indexes::get).toArray())
            .toArray(int[][]::new);
    int[] remaining = remainingPaths();
    startOrder =
        IntStream.range(0, steps.size())
            .boxed()
            .sorted(
                Comparator.<Integer>comparingInt(i -> -steps.get(i).policy().priority())
                    .thenComparingInt(i -> -remaining[i])
                    .thenComparingInt(i -> i))
            .toList();
  }

  /** How many steps the longest path from each step to an end has, itself included. */
  private int[] remainingPaths() {
    List<List<Integer>> dependents = new ArrayList<>();
    int[] open = new int[dependencies.length];
    Arrays.stream(dependencies).forEach(all -> dependents.add(new ArrayList<>()));
    for (int i = 0; i < dependencies.length; i++) {
      for (int before : dependencies[i]) {
        dependents.get(before).add(i);
        open[before]++;
      }
    }
    int[] remaining = new int[dependencies.length];
    Deque<Integer> ends = new ArrayDeque<>();
    for (int i = 0; i < open.length; i++) {
      if (open[i] == 0) {
        ends.add(i);
      }
    }
    while (!ends.isEmpty()) {
      int i = ends.poll();
      remaining[i] =
          1 + dependents.get(i).stream().mapToInt(after -> remaining[after]).max().orElse(0);
      for (int before : dependencies[i]) {
        if (--open[before] == 0) {
          ends.add(before);
        }
      }
    }
    return remaining;
  }

  /** The definition. */
  public WorkflowDefinition definition() {
    return definition;
  }

  /** The step at this index. */
  public StepDefinition step(int index) {
    return definition.steps().get(index);
  }

  /** The index of the step of this name, or null. */
  public Integer indexOf(String name) {
    return indexes.get(name);
  }

  int[] dependencies(int index) {
    return dependencies[index];
  }

  /** The order in which steps start: by priority, then the longest remaining path first. */
  List<Integer> startOrder() {
    return startOrder;
  }
}
