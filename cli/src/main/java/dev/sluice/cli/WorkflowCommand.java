package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.Page;
import dev.sluice.Sluice;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import dev.sluice.cli.text.Times;
import dev.sluice.workflow.Caps;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.WorkflowQuery;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.Workflows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Starts workflows, shows their runs, and moves them by hand. */
@Command(
    name = "workflow",
    description = "Start workflows, show their runs, and move them by hand.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "Examples:",
      "  sluice workflow start order.json --input '{\"order\": 7}'",
      "  sluice workflow show 0190f3c2-7a3b-8f12-8000-000000000000",
      "  sluice workflow signal 0190f3c2-7a3b-8f12-8000-000000000000 approved",
      "  sluice workflow set 0190f3c2-7a3b-8f12-8000-000000000000 --max-concurrent-steps 2"
    })
final class WorkflowCommand implements Runnable {
  private static final int UNLIMITED = -1;

  private final SluiceCommand root;

  @Spec private CommandSpec spec;

  WorkflowCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "'sluice workflow' needs a command.");
  }

  @Command(
      name = "start",
      description = {
        "Start a run, and print its id.",
        "",
        "A file holds a definition as JSON, or a list of them: the first is started, the others are"
            + " those it runs as children. A type stands for the definition of its latest run."
      })
  int start(
      @Parameters(paramLabel = "FILE|TYPE") String what,
      @Option(
              names = "--input",
              paramLabel = "JSON",
              description = "What the run works on: JSON, @FILE, or - for standard input.")
          String input) {
    JsonNode json = input == null ? NullNode.getInstance() : Payload.read(input, System.in);
    try (Sluice sluice = root.open();
        Workflows workflows = Workflows.on(sluice)) {
      List<WorkflowDefinition> definitions =
          Files.exists(Path.of(what)) ? read(what) : latest(workflows, what);
      workflows.define(definitions.toArray(new WorkflowDefinition[0]));
      UUID run = workflows.start(definitions.get(0), json);
      if (root.json()) {
        root.sayJson(RunSheet.summary(workflows.get(run).orElseThrow()));
      } else {
        root.say(run.toString());
      }
    }
    return ExitCode.OK;
  }

  private static List<WorkflowDefinition> read(String file) {
    try {
      return WorkflowDefinition.parseAll(Files.readString(Path.of(file)));
    } catch (IOException e) {
      throw new InvalidRequestException(
          "The file '%s' cannot be read: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static List<WorkflowDefinition> latest(Workflows workflows, String type) {
    List<WorkflowDefinition> known = workflows.latest(type);
    if (known.isEmpty()) {
      throw new InvalidRequestException(
          "'%s' is no file, and no run of a workflow of that type is on record. Name a file with its definition."
              .formatted(type));
    }
    return known;
  }

  @Command(name = "validate", description = "Check definitions without starting anything.")
  int validate(@Parameters(paramLabel = "FILE") String file) {
    for (WorkflowDefinition definition : read(file)) {
      if (root.json()) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("type", definition.type());
        map.put("steps", definition.steps().size());
        map.put("hash", definition.hash());
        root.sayJson(map);
      } else {
        root.say(
            Printable.of(
                "%s: %,d steps, hash %s"
                    .formatted(definition.type(), definition.steps().size(), definition.hash())));
      }
    }
    return ExitCode.OK;
  }

  @Command(name = "list", description = "List runs, newest first.")
  int list(
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description =
                  "In this state (repeat for more): pending, running, waiting_signal, compensating,"
                      + " paused, succeeded, failed, cancelled.")
          Set<RunState> states,
      @Option(names = "--type", description = "Of this type.") String type,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "How many, 1 to 1000. Default: 50")
          int limit,
      @Option(
              names = "--cursor",
              defaultValue = "",
              description = "Where to go on, as the list before said.")
          String cursor) {
    WorkflowQuery query =
        new WorkflowQuery(
            Optional.ofNullable(type), states == null ? Set.of() : states, limit, cursor);
    try (Sluice sluice = root.openToRead();
        Workflows workflows = Workflows.on(sluice)) {
      print(workflows.list(query));
    }
    return ExitCode.OK;
  }

  private void print(Page<WorkflowRun> page) {
    if (root.json()) {
      page.items().forEach(run -> root.sayJson(RunSheet.summary(run)));
      page.next().ifPresent(next -> root.remark("next: --cursor " + next));
      return;
    }
    Times times = root.times();
    Table table =
        new Table(root.console().style())
            .left("ID")
            .flexible("TYPE")
            .left("STATE")
            .right("STEPS")
            .right("DONE")
            .right("IN FLIGHT")
            .left("CREATED")
            .left("CHANGED");
    for (WorkflowRun run : page.items()) {
      table.row(
          run.id().toString(),
          Printable.of(run.type()),
          RunSheet.coloured(root.console().style(), run.state()),
          "%,d".formatted(run.steps().size()),
          "%,d"
              .formatted(
                  run.steps().stream().filter(s -> s.state() == StepState.SUCCEEDED).count()),
          "%,d".formatted(run.inFlight()),
          times.age(run.data().createdAt()),
          times.age(run.data().updatedAt()));
    }
    if (table.isEmpty()) {
      root.remark("No runs match.");
    } else {
      table.lines(root.console().tableWidth()).forEach(root::say);
    }
    page.next().ifPresent(next -> root.remark("More with: --cursor " + next));
  }

  @Command(
      name = "show",
      description = "Show a run: its steps as a tree, with what each waits for.")
  int show(@Parameters(paramLabel = "RUN") UUID id) {
    try (Sluice sluice = root.openToRead();
        Workflows workflows = Workflows.on(sluice)) {
      Optional<WorkflowRun> run = workflows.describe(id);
      if (run.isEmpty()) {
        root.remark("sluice: There is no run " + id + ". See 'sluice workflow list'.");
        return ExitCode.NEGATIVE;
      }
      if (root.json()) {
        root.sayJson(RunSheet.full(run.get()));
      } else {
        new RunSheet(root.console().style(), root.times()).lines(run.get()).forEach(root::say);
      }
    }
    return ExitCode.OK;
  }

  @Command(
      name = "signal",
      description = "Send a signal to a run; it is kept until a step waits for it.")
  int signal(
      @Parameters(paramLabel = "RUN") UUID run,
      @Parameters(paramLabel = "NAME") String name,
      @Option(
              names = "--payload",
              paramLabel = "JSON",
              description = "What it carries: JSON, @FILE, or - for standard input.")
          String payload) {
    JsonNode json = payload == null ? NullNode.getInstance() : Payload.read(payload, System.in);
    return change(run, (workflows, id) -> workflows.signal(id, name, json));
  }

  @Command(
      name = "cancel",
      description = "Call a run off: what is in flight is asked to stop, then the run has ended.")
  int cancel(@Parameters(paramLabel = "RUN") UUID run) {
    return change(run, Workflows::cancel);
  }

  @Command(name = "pause", description = "Start no more steps of a run; those in flight go on.")
  int pause(@Parameters(paramLabel = "RUN") UUID run) {
    return change(run, Workflows::pause);
  }

  @Command(
      name = "resume",
      description = "Go on with a paused run, and try the step again whose failure paused it.")
  int resume(@Parameters(paramLabel = "RUN") UUID run) {
    return change(run, Workflows::resume);
  }

  @Command(name = "retry", description = "Take a failed or cancelled run up again where it failed.")
  int retry(@Parameters(paramLabel = "RUN") UUID run) {
    return change(run, Workflows::retry);
  }

  @Command(name = "set", description = "Change the caps of a run; -1 lifts one, 0 holds the run.")
  int set(
      @Parameters(paramLabel = "RUN") UUID run,
      @Option(
              names = "--max-concurrent-steps",
              paramLabel = "N",
              description = "How many steps may be in flight.")
          Integer maxConcurrentSteps,
      @Option(
              names = "--max-steps-per-tick",
              paramLabel = "N",
              description = "How many steps one tick may start.")
          Integer maxStepsPerTick) {
    if (maxConcurrentSteps == null && maxStepsPerTick == null) {
      throw new InvalidRequestException(
          "Nothing to set; give --max-concurrent-steps or --max-steps-per-tick.");
    }
    return change(
        run,
        (workflows, id) ->
            workflows.changeCaps(
                id,
                caps ->
                    new Caps(
                        RunSheet.cap(caps.maxConcurrentSteps(), maxConcurrentSteps, UNLIMITED),
                        RunSheet.cap(caps.maxStepsPerTick(), maxStepsPerTick, UNLIMITED))));
  }

  private int change(UUID id, BiConsumer<Workflows, UUID> change) {
    try (Sluice sluice = root.open();
        Workflows workflows = Workflows.on(sluice)) {
      change.accept(workflows, id);
      WorkflowRun run = workflows.get(id).orElseThrow();
      if (root.json()) {
        root.sayJson(RunSheet.summary(run));
      } else {
        root.say(id + " is " + run.state());
      }
    }
    return ExitCode.OK;
  }
}
