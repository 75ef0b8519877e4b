package dev.sluice.cli;

import dev.sluice.JobInfo;
import dev.sluice.Sluice;
import dev.sluice.Why;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.WorkflowRun.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Why a run, or a step of it, is where it is. */
final class WhyRunSheet {
  private final SluiceCommand root;
  private final Sluice sluice;
  private final RunSheet sheet;

  WhyRunSheet(SluiceCommand root, Sluice sluice) {
    this.root = root;
    this.sluice = sluice;
    this.sheet = new RunSheet(root.console().style(), root.times());
  }

  /** Says it of these steps; of a whole run, of those that are under way or could be. */
  void print(WorkflowRun run, List<Step> steps, boolean everyStep) {
    List<Map<String, Object>> maps = new ArrayList<>();
    Style style = root.console().style();
    if (!root.json()) {
      root.say(
          "%s  %s  %s"
              .formatted(
                  style.bold(Printable.of(run.type())),
                  run.id(),
                  RunSheet.coloured(style, run.state())));
      run.message().ifPresent(message -> root.say(Printable.of(message)));
      if (run.state() == RunState.PAUSED) {
        root.say("The run is paused; 'sluice workflow resume " + run.id() + "' goes on with it.");
      }
      if (run.deferred() > 0) {
        root.say(
            "%,d steps or items more could start but for a cap on the run; %,d are in flight."
                .formatted(run.deferred(), run.inFlight()));
      }
    }
    for (Step step : steps) {
      if (everyStep || step.state() == StepState.PENDING || step.state() == StepState.RUNNING) {
        maps.add(step(run, step));
      }
    }
    if (root.json()) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("run", run.id().toString());
      map.put("state", run.state().toString());
      map.put("in_flight", run.inFlight());
      map.put("deferred", run.deferred());
      map.put("steps", maps);
      root.sayJson(map);
    } else if (maps.isEmpty()) {
      root.say("No step is under way or still to come.");
    }
  }

  private Map<String, Object> step(WorkflowRun run, Step step) {
    // Where it waits with its job, what is said of the job is more.
    Optional<String> waitsFor =
        sheet.waitsFor(run, step).filter(what -> !what.startsWith("its job"));
    Optional<Why> why = step.job().map(JobInfo::id).flatMap(sluice::why);
    if (!root.json()) {
      root.say("");
      root.say(
          "step "
              + root.console().style().bold(Printable.of(step.name()))
              + "  "
              + RunSheet.coloured(root.console().style(), step.state()));
      List<String> dependsOn = step.definition().dependsOn();
      if (!dependsOn.isEmpty()) {
        root.say("  It depends on " + Printable.of(String.join(", ", dependsOn)) + ".");
      }
      waitsFor.ifPresent(what -> root.say("  It " + Printable.of(what) + "."));
      step.error().ifPresent(error -> root.say("  " + Printable.of(error)));
      why.ifPresent(
          job -> {
            root.say("  Its job " + job.job().id() + " is " + job.job().state() + ":");
            new WhySheet(root).answers(job, "    ");
          });
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("step", step.name());
    map.put("state", step.state().toString());
    map.put("depends_on", step.definition().dependsOn());
    waitsFor.ifPresent(what -> map.put("waits_for", what));
    why.ifPresent(job -> map.put("why", WhySheet.asMap(job)));
    return map;
  }
}
