package dev.sluice.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.Task;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rules for definitions, whatever form they came in. */
final class DefinitionCheck {
  /** A step's number has to fit into the ids of its jobs. */
  static final int MOST_STEPS = 50_000;

  private static final int LONGEST_NAME = 200;
  private static final Duration LONGEST_WAIT = Duration.ofDays(3_650);

  private final String type;
  private final List<StepDefinition> steps;
  private final Map<String, StepDefinition> byName = new HashMap<>();

  private DefinitionCheck(String type, List<StepDefinition> steps) {
    this.type = type;
    this.steps = steps;
  }

  static void check(
      String type, int version, List<StepDefinition> steps, Optional<JsonNode> output) {
    if (isUnusable(type)) {
      throw new InvalidRequestException(
          "type is '%s'; use 1 to %d characters, no control characters."
              .formatted(type, LONGEST_NAME));
    }
    if (version < 0) {
      throw new InvalidRequestException(
          "version of workflow '%s' is %d; use 0 and more.".formatted(type, version));
    }
    new DefinitionCheck(type, steps).check(output);
  }

  private static boolean isUnusable(String name) {
    return name == null
        || name.isBlank()
        || name.length() > LONGEST_NAME
        || name.chars().anyMatch(Character::isISOControl);
  }

  private void check(Optional<JsonNode> output) {
    if (steps.isEmpty() || steps.size() > MOST_STEPS) {
      throw new InvalidRequestException(
          "steps of workflow '%s' has %d steps; use 1 to %,d. For more of the same, use a step over a list."
              .formatted(type, steps.size(), MOST_STEPS));
    }
    for (int i = 0; i < steps.size(); i++) {
      StepDefinition step = steps.get(i);
      if (isUnusable(step.name()) || step.name().indexOf('/') >= 0) {
        throw new InvalidRequestException(
            "name of step %d of workflow '%s' is '%s'; use 1 to %d characters, no '/' and no control characters."
                .formatted(i + 1, type, step.name(), LONGEST_NAME));
      }
      if (byName.putIfAbsent(step.name(), step) != null) {
        throw wrong(step, "name", "another step has the same");
      }
    }
    steps.forEach(this::checkWork);
    steps.forEach(this::checkDependencies);
    checkCycles();
    steps.forEach(this::checkReferences);
    output.ifPresent(
        json -> {
          try {
            Refs.check(json, false);
          } catch (InvalidRequestException e) {
            throw new InvalidRequestException(
                "output of workflow '%s': %s.".formatted(type, e.getMessage()), e);
          }
          for (String name : Refs.stepsIn(json)) {
            if (!byName.containsKey(name)) {
              throw new InvalidRequestException(
                  "output of workflow '%s' refers to the step '%s', which it does not have."
                      .formatted(type, name));
            }
          }
        });
  }

  private InvalidRequestException wrong(StepDefinition step, String field, String what) {
    return new InvalidRequestException(
        "%s of step '%s' of workflow '%s': %s.".formatted(field, step.name(), type, what));
  }

  private void checkWork(StepDefinition step) {
    StepWork work = step.work();
    if (work == null) {
      throw new InvalidRequestException(
          "step '%s' of workflow '%s' does nothing; give it one of task, sleep, signal, workflow."
              .formatted(step.name(), type));
    } else if (work instanceof StepWork.Call call) {
      checkCall(step, call);
    } else if (work instanceof StepWork.Each each) {
      checkCall(step, each.job());
      if (!each.over().isArray() && Refs.kindOf(each.over()) == null) {
        throw wrong(step, "over", "use a list, {\"$input\": …} or {\"$result\": …}");
      }
    } else if (work instanceof StepWork.Sleep sleep) {
      checkWait(step, "sleep", sleep.duration());
    } else if (work instanceof StepWork.Signal signal) {
      if (isUnusable(signal.signal())) {
        throw wrong(step, "signal", "use 1 to %d characters".formatted(LONGEST_NAME));
      }
      signal.timeout().ifPresent(timeout -> checkWait(step, "timeout", timeout));
    } else if (work instanceof StepWork.Child child) {
      checkChild(step, child.type());
    }
    StepDefinition.Policy policy = step.policy();
    if (policy.compensateWith().isPresent() && isUnusable(policy.compensateWith().get())) {
      throw wrong(step, "compensate_with", "use 1 to %d characters".formatted(LONGEST_NAME));
    }
    if (policy.compensateWith().isPresent() && !(work instanceof StepWork.Call)) {
      throw wrong(step, "compensate_with", "only a step with a task of its own can be undone");
    }
    if (policy.retry().maxAttempts() > 1 && !work.isCounted()) {
      throw wrong(step, "retry", "only a step with a task can be tried again by itself");
    }
    if (policy.retry().maxAttempts() > 1_000) {
      throw wrong(step, "retry", "use at most 1,000 attempts");
    }
  }

  private void checkChild(StepDefinition step, String child) {
    if (isUnusable(child)) {
      throw wrong(step, "workflow", "use 1 to %d characters".formatted(LONGEST_NAME));
    }
    if (child.equals(type)) {
      throw wrong(step, "workflow", "it would run itself for ever");
    }
  }

  private void checkCall(StepDefinition step, StepWork.Call call) {
    if (isUnusable(call.task())) {
      throw wrong(step, "task", "use 1 to %d characters".formatted(LONGEST_NAME));
    }
    if (isUnusable(call.queue())) {
      throw wrong(step, "queue", "use 1 to %d characters".formatted(LONGEST_NAME));
    }
    call.timeout().ifPresent(timeout -> checkWait(step, "timeout", timeout));
    StepWork.Slots slots = call.slots();
    if (slots.group().filter(DefinitionCheck::isUnusable).isPresent()) {
      throw wrong(step, "concurrency group", "use 1 to %d characters".formatted(LONGEST_NAME));
    }
    if (slots.per().keySet().stream().anyMatch(DefinitionCheck::isUnusable)) {
      throw wrong(step, "concurrency per", "name every dimension");
    }
    if (slots.per().size() >= Task.MAX_EXTRA_GROUPS) {
      throw wrong(step, "concurrency per", "use at most %d".formatted(Task.MAX_EXTRA_GROUPS - 1));
    }
    for (JsonNode value : slots.values()) {
      if (!value.isValueNode() && Refs.kindOf(value) == null) {
        throw wrong(
            step, "concurrency", "%s is neither a text nor a reference to one".formatted(value));
      }
    }
  }

  private void checkWait(StepDefinition step, String field, Duration wait) {
    if (wait.toMillis() < 1 || wait.compareTo(LONGEST_WAIT) > 0) {
      throw wrong(step, field, "use a millisecond or more, and at most ten years");
    }
  }

  private void checkDependencies(StepDefinition step) {
    Set<String> seen = new HashSet<>();
    for (String name : step.dependsOn()) {
      if (!byName.containsKey(name)) {
        throw wrong(step, "depends_on", "there is no step '%s'".formatted(name));
      }
      if (name.equals(step.name())) {
        throw wrong(step, "depends_on", "it depends on itself");
      }
      if (!seen.add(name)) {
        throw wrong(step, "depends_on", "it names '%s' twice".formatted(name));
      }
    }
  }

  /** Walks without recursion: a chain may be as long as a workflow is large. */
  private void checkCycles() {
    Set<String> done = new HashSet<>();
    for (StepDefinition start : steps) {
      Deque<String> path = new ArrayDeque<>();
      Set<String> onPath = new HashSet<>();
      Deque<Deque<String>> left = new ArrayDeque<>();
      if (!done.contains(start.name())) {
        path.push(start.name());
        onPath.add(start.name());
        left.push(new ArrayDeque<>(start.dependsOn()));
      }
      while (!path.isEmpty()) {
        if (left.peek().isEmpty()) {
          left.pop();
          onPath.remove(path.peek());
          done.add(path.pop());
          continue;
        }
        String next = left.peek().pop();
        if (onPath.contains(next)) {
          throw cycle(path, next);
        }
        if (!done.contains(next)) {
          path.push(next);
          onPath.add(next);
          left.push(new ArrayDeque<>(byName.get(next).dependsOn()));
        }
      }
    }
  }

  private InvalidRequestException cycle(Deque<String> path, String closing) {
    List<String> circle = new ArrayList<>(List.of(closing));
    for (String name : path) {
      circle.add(name);
      if (name.equals(closing)) {
        break;
      }
    }
    return wrong(
        byName.get(closing),
        "depends_on",
        "the steps wait for each other in a circle: " + String.join(" after ", circle));
  }

  private void checkReferences(StepDefinition step) {
    step.input().ifPresent(input -> checkReferences(step, "input", input));
    if (step.work() instanceof StepWork.Each each) {
      checkReferences(step, "over", each.over());
    }
    step.work()
        .call()
        .ifPresent(
            call ->
                call.slots()
                    .values()
                    .forEach(value -> checkReferences(step, "concurrency", value)));
  }

  private void checkReferences(StepDefinition step, String field, JsonNode json) {
    try {
      Refs.check(json, step.work() instanceof StepWork.Each && !field.equals("over"));
    } catch (InvalidRequestException e) {
      throw wrong(step, field, e.getMessage());
    }
    Set<String> named = new HashSet<>(Refs.stepsIn(json));
    named.removeAll(step.dependsOn());
    if (named.isEmpty()) {
      return;
    }
    Set<String> before = ancestors(step);
    for (String name : named) {
      if (!before.contains(name)) {
        throw wrong(
            step,
            field,
            byName.containsKey(name)
                ? "it refers to the result of '%s', and does not depend on it".formatted(name)
                : "it refers to the step '%s', which does not exist".formatted(name));
      }
    }
  }

  private Set<String> ancestors(StepDefinition step) {
    Set<String> found = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(step.dependsOn());
    while (!open.isEmpty()) {
      String next = open.pop();
      if (found.add(next)) {
        open.addAll(byName.get(next).dependsOn());
      }
    }
    return found;
  }
}
