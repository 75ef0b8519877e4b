package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.Spelling;
import dev.sluice.Why;
import dev.sluice.cli.text.Printable;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.WorkflowRun.Step;
import dev.sluice.workflow.Workflows;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Says why a job, or a step of a run, is where it is. */
@Command(
    name = "why",
    description = {
      "Say why a job has not started: which limits hold it back, who holds their slots and since when,"
          + " its place in line and when it will probably start; or that no worker serves it, its queue is"
          + " paused, it is not due. Of a job that ran: how long it waited, and for what.",
      "Of a run of a workflow, or a step of one: what it depends on and waits for."
    },
    footer = {
      "Examples:",
      "  sluice why 01890a5d-ac96-774b-bcce-b302099a8057",
      "  sluice why 01890a5d-ac96-774b-bcce-b302099a8057/resize      the step 'resize' of a run"
    })
final class WhyCommand implements Callable<Integer> {
  private static final int UUID_LENGTH = 36;

  private final SluiceCommand root;

  @Parameters(paramLabel = "JOB|RUN[/STEP]")
  private String what;

  WhyCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    int slash = what.indexOf('/');
    UUID id = id(slash < 0 ? what : what.substring(0, slash));
    Optional<String> step = slash < 0 ? Optional.empty() : Optional.of(what.substring(slash + 1));
    try (Sluice sluice = root.openToRead()) {
      Optional<Why> job = step.isEmpty() ? sluice.why(id) : Optional.empty();
      if (job.isPresent()) {
        new WhySheet(root).print(job.get());
        return ExitCode.OK;
      }
      try (Workflows workflows = Workflows.on(sluice)) {
        Optional<WorkflowRun> run = workflows.describe(id);
        if (run.isEmpty()) {
          root.remark(
              "sluice: There is no %s %s, or its retention has passed. See 'sluice jobs list' and 'sluice workflow list'."
                  .formatted(step.isEmpty() ? "job and no run" : "run", id));
          return ExitCode.NEGATIVE;
        }
        List<Step> steps =
            step.map(name -> List.of(step(run.get(), name))).orElse(run.get().steps());
        new WhyRunSheet(root, sluice).print(run.get(), steps, step.isPresent());
      }
    }
    return ExitCode.OK;
  }

  private static Step step(WorkflowRun run, String name) {
    return run.step(name)
        .orElseThrow(
            () ->
                new InvalidRequestException(
                    "The run %s has no step '%s'.%s"
                        .formatted(run.id(), name, suggestion(run, name))));
  }

  private static String suggestion(WorkflowRun run, String name) {
    return run.steps().stream()
        .map(Step::name)
        .filter(known -> Spelling.isClose(name, known))
        .findFirst()
        .map(known -> " Did you mean " + known + "?")
        .orElse(" See 'sluice workflow show " + run.id() + "'.");
  }

  private static UUID id(String text) {
    try {
      if (text.length() == UUID_LENGTH) {
        return UUID.fromString(text);
      }
    } catch (IllegalArgumentException e) {
      // Said below, together with ids of a wrong length.
    }
    throw new InvalidRequestException(
        Printable.of(
            "'%s' is not the id of a job or run. Ids look like 01890a5d-ac96-774b-bcce-b302099a8057; see 'sluice jobs list'."
                .formatted(text.length() > 80 ? text.substring(0, 80) + "…" : text)));
  }
}
