package dev.sluice.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.cli.text.Printable;
import dev.sluice.schedule.ScheduleInfo;
import dev.sluice.schedule.ScheduleJson;
import dev.sluice.schedule.ScheduleSpec;
import dev.sluice.schedule.Schedules;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists, creates and changes schedules, and runs them by hand. */
@Command(
    name = "schedule",
    description = {
      "Run jobs by the clock.",
      "",
      "Jobs are submitted when they are due by any process that runs a scheduler, such as 'sluice"
          + " worker' and 'sluice server'; each occurrence once, however many they are."
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "Examples:",
      "  sluice schedule create nightly report --cron '0 3 * * *' --zone Europe/Berlin",
      "  sluice schedule create poll-inbox poll --every 5m --overlap skip",
      "  sluice schedule trigger nightly",
      "  sluice schedule pause nightly"
    })
final class ScheduleCommand implements Runnable {
  private static final int PREVIEW = 5;

  private final SluiceCommand root;

  @Spec private CommandSpec spec;

  ScheduleCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "'sluice schedule' needs a command.");
  }

  @Command(name = "list", description = "List schedules, by name.")
  void list() {
    try (Sluice sluice = root.openToRead()) {
      List<ScheduleInfo> schedules = Schedules.on(sluice).list();
      if (root.json()) {
        schedules.forEach(schedule -> root.sayJson(ScheduleJson.of(schedule)));
      } else if (schedules.isEmpty()) {
        root.remark("There are no schedules. See 'sluice schedule create --help'.");
      } else {
        new ScheduleSheet(root.console(), root.times()).table(schedules).forEach(root::say);
      }
    }
  }

  @Command(
      name = "show",
      description = "Show everything about a schedule, and when it is next due.")
  int show(@Parameters(paramLabel = "NAME") String name) {
    try (Sluice sluice = root.openToRead()) {
      Schedules schedules = Schedules.on(sluice);
      Optional<ScheduleInfo> schedule = schedules.get(name);
      if (schedule.isEmpty()) {
        root.remark("sluice: " + unknown(name));
        return ExitCode.NEGATIVE;
      }
      List<Instant> upcoming = schedules.upcoming(name, PREVIEW);
      if (root.json()) {
        ObjectNode json = ScheduleJson.of(schedule.get());
        upcoming.stream().map(Instant::toString).forEach(json.putArray("upcoming")::add);
        root.sayJson(json);
      } else {
        new ScheduleSheet(root.console(), root.times()).print(schedule.get(), upcoming);
      }
      return ExitCode.OK;
    }
  }

  @Command(name = "create", description = "Create a schedule that submits jobs of a task.")
  void create(
      @Parameters(paramLabel = "NAME") String name,
      @Parameters(paramLabel = "TASK") String task,
      @Mixin ScheduleOptions options) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("task", task);
    options.applyTo(json);
    ScheduleSpec wanted = ScheduleJson.parse(name, json);
    try (Sluice sluice = root.open()) {
      report(Schedules.on(sluice).create(wanted));
    }
  }

  @Command(
      name = "update",
      description = {
        "Change what a schedule does or when; what is not given stays.",
        "",
        "A schedule that code or a configuration file declares is no longer theirs then."
      })
  void update(
      @Parameters(paramLabel = "NAME") String name,
      @Option(names = "--task", description = "The task of its jobs.") String task,
      @Mixin ScheduleOptions options) {
    try (Sluice sluice = root.open()) {
      Schedules schedules = Schedules.on(sluice);
      ScheduleInfo before =
          schedules.get(name).orElseThrow(() -> new InvalidRequestException(unknown(name)));
      ObjectNode json = ScheduleJson.of(before);
      if (task != null) {
        json.put("task", task);
      }
      options.applyTo(json);
      if (json.equals(ScheduleJson.of(before))) {
        throw new InvalidRequestException(
            "Nothing would change about the schedule '%s'; say what, such as --cron or --every."
                .formatted(name));
      }
      report(schedules.update(ScheduleJson.parse(name, json)));
    }
  }

  @Command(
      name = "pause",
      description = "Submit no more jobs of these schedules; those submitted go on.")
  void pause(@Parameters(paramLabel = "NAME", arity = "1..*") List<String> names) {
    each(names, Schedules::pause);
  }

  @Command(
      name = "resume",
      description = "Go on with these schedules; what they missed is one job at most.")
  void resume(@Parameters(paramLabel = "NAME", arity = "1..*") List<String> names) {
    each(names, Schedules::resume);
  }

  private void each(List<String> names, BiFunction<Schedules, String, ScheduleInfo> change) {
    try (Sluice sluice = root.open()) {
      Schedules schedules = Schedules.on(sluice);
      names.forEach(name -> report(change.apply(schedules, name)));
    }
  }

  @Command(name = "delete", description = "Remove schedules; their jobs stay.")
  int delete(@Parameters(paramLabel = "NAME", arity = "1..*") List<String> names) {
    int exitCode = ExitCode.OK;
    try (Sluice sluice = root.open()) {
      for (String name : names) {
        boolean deleted = Schedules.on(sluice).delete(name);
        exitCode = deleted ? exitCode : ExitCode.NEGATIVE;
        if (root.json()) {
          Map<String, Object> map = new LinkedHashMap<>();
          map.put("name", name);
          map.put("deleted", deleted);
          root.sayJson(map);
        } else {
          root.remark(
              deleted
                  ? Printable.of("Schedule '%s' is deleted.".formatted(name))
                  : "sluice: " + unknown(name));
        }
      }
    }
    return exitCode;
  }

  @Command(
      name = "trigger",
      description = {
        "Submit a job of a schedule now; prints its id.",
        "",
        "It is under the schedule's limit and waits if another is unfinished. When the schedule is"
            + " due next stays as it is."
      })
  void trigger(@Parameters(paramLabel = "NAME") String name) {
    try (Sluice sluice = root.open()) {
      UUID job = Schedules.on(sluice).trigger(name).id();
      if (root.json()) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", name);
        map.put("job", job.toString());
        root.sayJson(map);
      } else {
        root.say(job.toString());
      }
    }
  }

  private void report(ScheduleInfo schedule) {
    if (root.json()) {
      root.sayJson(ScheduleJson.of(schedule));
      return;
    }
    String state =
        schedule.paused()
            ? "paused"
            : schedule
                .next()
                .map(next -> "due " + root.times().full(next))
                .orElse("never due again");
    root.remark(Printable.of("Schedule '%s' is %s.".formatted(schedule.name(), state)));
  }

  private static String unknown(String name) {
    return Printable.of("There is no schedule '%s'. See 'sluice schedule list'.".formatted(name));
  }
}
