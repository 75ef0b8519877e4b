package dev.sluice.cli;

import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Times;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.StepWork;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.WorkflowRun.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** A run for people: its steps as a tree, each below the first step it depends on. */
final class RunSheet {
  /** Steps that are further down the tree are not indented any more. */
  private static final int DEEPEST = 15;

  private final Style style;
  private final Times times;

  RunSheet(Style style, Times times) {
    this.style = style;
    this.times = times;
  }

  List<String> lines(WorkflowRun run) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s  %s  %s"
            .formatted(
                style.bold(Printable.of(run.type())), run.id(), coloured(style, run.state())));
    run.message().ifPresent(message -> lines.add("  " + style.yellow(Printable.of(message))));
    lines.add(
        "  created %s, changed %s; caps: %s in flight, %s per tick"
            .formatted(
                times.age(run.data().createdAt()),
                times.age(run.data().updatedAt()),
                word(run.data().caps().maxConcurrentSteps()),
                word(run.data().caps().maxStepsPerTick())));
    if (run.inFlight() + run.deferred() > 0) {
      lines.add(
          "  %,d in flight, %,d more could start but for a cap"
              .formatted(run.inFlight(), run.deferred()));
    }
    run.data().parent().ifPresent(parent -> lines.add("  begun by run " + parent));
    tree(run, lines);
    run.data()
        .output()
        .ifPresent(output -> lines.add("output: " + Printable.of(output.toString())));
    return lines;
  }

  private static String word(OptionalInt cap) {
    return cap.isPresent() ? String.valueOf(cap.getAsInt()) : "unlimited";
  }

  /** A step that is still to be shown. */
  private record Branch(Step step, String indent, boolean last, int depth) {}

  /** Without recursion: a chain of steps may be as long as a workflow is large. */
  private void tree(WorkflowRun run, List<String> lines) {
    Map<Optional<String>, List<Step>> below =
        run.steps().stream()
            .collect(
                Collectors.groupingBy(step -> step.definition().dependsOn().stream().findFirst()));
    Deque<Branch> open = new ArrayDeque<>();
    open(below, Optional.empty(), "", 0, open);
    while (!open.isEmpty()) {
      Branch next = open.pop();
      String branch = style.unicode() ? (next.last ? "└─ " : "├─ ") : (next.last ? "`- " : "|- ");
      String onwards = next.last ? "   " : (style.unicode() ? "│  " : "|  ");
      lines.add(next.indent + branch + line(run, next.step));
      String indent = next.depth < DEEPEST ? next.indent + onwards : next.indent;
      open(below, Optional.of(next.step.name()), indent, next.depth + 1, open);
    }
  }

  private static void open(
      Map<Optional<String>, List<Step>> below,
      Optional<String> above,
      String indent,
      int depth,
      Deque<Branch> open) {
    List<Step> steps = below.getOrDefault(above, List.of());
    for (int i = steps.size() - 1; i >= 0; i--) {
      open.push(new Branch(steps.get(i), indent, i == steps.size() - 1, depth));
    }
  }

  private String line(WorkflowRun run, Step step) {
    StringBuilder line = new StringBuilder(Printable.of(step.name()));
    line.append("  ").append(coloured(style, step.state()));
    step.items()
        .ifPresent(
            items ->
                line.append(
                    "  %,d of %,d done, %,d in flight, %,d failed"
                        .formatted(
                            items.succeeded(), items.size(), items.inFlight(), items.failed())));
    step.job()
        .flatMap(this::took)
        .ifPresent(took -> line.append("  ").append(Durations.format(took)));
    if (step.attempt() > 1) {
      line.append("  attempt ").append(step.attempt());
    }
    step.error().ifPresent(error -> line.append("  ").append(style.red(Printable.of(error))));
    waitsFor(run, step).ifPresent(what -> line.append("  ").append(style.dim(Printable.of(what))));
    return line.toString();
  }

  private Optional<Duration> took(JobInfo job) {
    Optional<Instant> end = job.outcome().finishedAt();
    return job.progress()
        .startedAt()
        .map(from -> end.map(to -> Duration.between(from, to)).orElse(times.until(from).negated()))
        .filter(took -> !took.isNegative());
  }

  /** What a step waits for, to go on after its name; empty = it runs, or is over. */
  Optional<String> waitsFor(WorkflowRun run, Step step) {
    if (step.state() == StepState.PENDING) {
      String open =
          step.definition().dependsOn().stream()
              .filter(name -> !run.step(name).orElseThrow().isPassed())
              .collect(Collectors.joining(", "));
      boolean held = run.state() == RunState.PAUSED;
      return Optional.of(
          open.isEmpty()
              ? (held ? "waits for the run to be resumed" : "waits for a place")
              : "waits for " + open);
    }
    if (step.state() != StepState.RUNNING) {
      return Optional.empty();
    }
    StepWork work = step.definition().work();
    if (work instanceof StepWork.Signal signal) {
      return Optional.of("waits for the signal '" + signal.signal() + "'");
    }
    if (work instanceof StepWork.Sleep) {
      return step.job()
          .map(job -> "wakes in " + Durations.format(left(job.spec().schedule().runAt())));
    }
    if (work instanceof StepWork.Child child) {
      return Optional.of("waits for its run of '" + child.type() + "'");
    }
    return step.job()
        .map(JobInfo::state)
        .filter(state -> state != JobState.RUNNING)
        .map(state -> "its job is " + state);
  }

  private Duration left(Instant due) {
    Duration left = times.until(due);
    return left.isNegative() ? Duration.ZERO : left;
  }

  static String coloured(Style style, RunState state) {
    String word = state.toString();
    return switch (state) {
      case SUCCEEDED -> style.green(word);
      case FAILED -> style.red(word);
      case RUNNING, COMPENSATING -> style.cyan(word);
      case PAUSED, WAITING_SIGNAL -> style.yellow(word);
      case PENDING, CANCELLED -> style.dim(word);
    };
  }

  static String coloured(Style style, StepState state) {
    String word = state.toString();
    return switch (state) {
      case SUCCEEDED -> style.green(word);
      case FAILED -> style.red(word);
      case RUNNING -> style.cyan(word);
      default -> style.dim(word);
    };
  }

  /** A cap as it is after a change; no change is null, and this number lifts it. */
  static OptionalInt cap(OptionalInt now, Integer wanted, int lifts) {
    if (wanted == null) {
      return now;
    }
    return wanted == lifts ? OptionalInt.empty() : OptionalInt.of(wanted);
  }

  /** A line of a list, for machines. */
  static Map<String, Object> summary(WorkflowRun run) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", run.id().toString());
    map.put("type", run.type());
    map.put("state", run.state().toString());
    map.put("message", run.message().orElse(null));
    map.put("max_concurrent_steps", number(run.data().caps().maxConcurrentSteps()));
    map.put("max_steps_per_tick", number(run.data().caps().maxStepsPerTick()));
    map.put("in_flight", run.inFlight());
    map.put("deferred", run.deferred());
    map.put("created_at", run.data().createdAt().toString());
    map.put("updated_at", run.data().updatedAt().toString());
    return map;
  }

  private static Integer number(OptionalInt cap) {
    return cap.isPresent() ? cap.getAsInt() : null;
  }

  /** Everything, for machines. */
  static Map<String, Object> full(WorkflowRun run) {
    Map<String, Object> map = summary(run);
    map.put("input", run.data().input());
    map.put("output", run.data().output().orElse(null));
    map.put("parent", run.data().parent().map(Object::toString).orElse(null));
    List<Map<String, Object>> steps = new ArrayList<>();
    for (Step step : run.steps()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("name", step.name());
      one.put("state", step.state().toString());
      one.put("attempt", step.attempt());
      one.put("depends_on", step.definition().dependsOn());
      one.put("error", step.error().orElse(null));
      one.put("job", step.job().map(job -> job.id().toString()).orElse(null));
      step.items()
          .ifPresent(
              items -> {
                one.put("size", items.size());
                one.put("succeeded", items.succeeded());
                one.put("in_flight", items.inFlight());
                one.put("failed", items.failed());
              });
      steps.add(one);
    }
    map.put("steps", steps);
    return map;
  }
}
