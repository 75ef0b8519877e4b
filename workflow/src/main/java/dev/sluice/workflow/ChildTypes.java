package dev.sluice.workflow;

import dev.sluice.InvalidRequestException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The workflows that a workflow runs as steps, and those that they run. A workflow that would come
 * to run itself is refused: nothing could ever end it.
 */
final class ChildTypes {
  private final Function<String, WorkflowDefinition> known;
  private final Map<String, WorkflowDefinition> found = new LinkedHashMap<>();
  private final List<String> path = new ArrayList<>();

  private ChildTypes(Function<String, WorkflowDefinition> known) {
    this.known = known;
  }

  /**
   * The definitions of all of them.
   *
   * @param known the definition of a type, or null
   * @throws InvalidRequestException if one is not known, or is its own child
   */
  static List<WorkflowDefinition> of(
      WorkflowDefinition definition, Function<String, WorkflowDefinition> known) {
    ChildTypes types = new ChildTypes(known);
    types.follow(definition);
    return List.copyOf(types.found.values());
  }

  /** Passes if none of these is its own child, as far as they know each other. */
  static void check(List<WorkflowDefinition> definitions) {
    Map<String, WorkflowDefinition> byType = new LinkedHashMap<>();
    definitions.forEach(definition -> byType.put(definition.type(), definition));
    WorkflowDefinition unknown =
        WorkflowDefinition.named("unknown").step(StepDefinition.named("any").task("any")).build();
    definitions.forEach(definition -> of(definition, type -> byType.getOrDefault(type, unknown)));
  }

  private void follow(WorkflowDefinition definition) {
    path.add(definition.type());
    for (StepDefinition step : definition.steps()) {
      if (step.work() instanceof StepWork.Child child) {
        follow(definition, step, child.type());
      }
    }
    path.remove(path.size() - 1);
  }

  private void follow(WorkflowDefinition definition, StepDefinition step, String type) {
    if (path.contains(type)) {
      throw new InvalidRequestException(
          "workflow of step '%s' of workflow '%s': '%s' would run itself for ever: %s, %s."
              .formatted(step.name(), definition.type(), type, String.join(", ", path), type));
    }
    WorkflowDefinition child = known.apply(type);
    if (child == null) {
      throw new InvalidRequestException(
          "workflow of step '%s' of workflow '%s': no workflow '%s' is defined here."
              .formatted(step.name(), definition.type(), type));
    }
    if (found.putIfAbsent(type, child) == null) {
      follow(child);
    }
  }
}
