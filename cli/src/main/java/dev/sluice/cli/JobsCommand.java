package dev.sluice.cli;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Jobs;
import dev.sluice.Page;
import dev.sluice.Sluice;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import dev.sluice.cli.text.Times;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at the jobs on record, calls them off, tries them again. */
@Command(
    name = "jobs",
    description = "List, show, cancel and retry jobs.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "Examples:",
      "  sluice jobs list --state running --state waiting",
      "  sluice jobs list --task send_email --limit 20",
      "  sluice jobs show 01890a5d-ac96-774b-bcce-b302099a8057"
    })
final class JobsCommand implements Runnable {
  private final SluiceCommand root;

  @Spec private CommandSpec spec;

  JobsCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "'sluice jobs' needs a command.");
  }

  @Command(name = "list", description = "List jobs, newest first.")
  int list(
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description =
                  "In this state (repeat for more): scheduled, ready, waiting, running, succeeded,"
                      + " failed, cancelled.")
          Set<JobState> states,
      @Option(names = "--task", description = "Of this task.") String task,
      @Option(names = "--queue", description = "In this queue.") String queue,
      @Option(names = "--group", description = "In this group, as 'concurrency status' prints it.")
          Group group,
      @Option(names = "--text", description = "With this text in the payload.") String text,
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
    JobQuery query =
        new JobQuery(
            states == null ? Set.of() : states,
            Optional.ofNullable(task),
            Optional.ofNullable(queue),
            Optional.ofNullable(group),
            Optional.ofNullable(text),
            limit,
            cursor);
    try (Sluice sluice = root.openToRead()) {
      print(sluice.jobs().list(query));
    }
    return ExitCode.OK;
  }

  private void print(Page<JobInfo> page) {
    if (root.json()) {
      page.items().forEach(job -> root.sayJson(JobJson.summary(job)));
      page.next().ifPresent(next -> root.remark("next: --cursor " + next));
      return;
    }
    Times times = root.times();
    Table table =
        new Table(root.console().style())
            .left("ID")
            .flexible("TASK")
            .left("STATE")
            .left("QUEUE")
            .right("ATTEMPT")
            .left("SUBMITTED")
            .left("FINISHED");
    for (JobInfo job : page.items()) {
      table.row(
          job.id().toString(),
          Printable.of(job.task()),
          root.console().style().state(job.state()),
          Printable.of(job.spec().queue()),
          String.valueOf(job.progress().attempt()),
          times.age(job.spec().schedule().submittedAt()),
          job.outcome().finishedAt().map(times::age).orElse("-"));
    }
    if (table.isEmpty()) {
      root.remark("No jobs match.");
    } else {
      table.lines(root.console().tableWidth()).forEach(root::say);
    }
    page.next().ifPresent(next -> root.remark("More with: --cursor " + next));
  }

  @Command(name = "show", description = "Show everything about a job.")
  int show(@Parameters(paramLabel = "ID") UUID id) {
    try (Sluice sluice = root.openToRead()) {
      Optional<JobInfo> job = sluice.jobs().get(id);
      if (job.isEmpty()) {
        root.remark("sluice: " + unknown(id));
        return ExitCode.NEGATIVE;
      }
      if (root.json()) {
        root.sayJson(JobJson.full(job.get()));
      } else {
        new JobSheet(root.console(), root.times()).print(job.get());
      }
      return ExitCode.OK;
    }
  }

  @Command(
      name = "cancel",
      description = {
        "Call jobs off. One that has not started is cancelled at once; a running one is asked to"
            + " stop."
      })
  int cancel(@Parameters(paramLabel = "ID", arity = "1..*") List<UUID> ids) {
    return each(ids, Jobs::cancel, "cancelled", "finished already");
  }

  @Command(name = "retry", description = "Run failed or cancelled jobs again, now.")
  int retry(@Parameters(paramLabel = "ID", arity = "1..*") List<UUID> ids) {
    return each(ids, Jobs::retry, "ready again", "neither failed nor cancelled");
  }

  private interface Change {
    boolean apply(Jobs jobs, UUID id);
  }

  private int each(List<UUID> ids, Change change, String done, String refused) {
    int exitCode = ExitCode.OK;
    try (Sluice sluice = root.open()) {
      for (UUID id : ids) {
        boolean changed = change.apply(sluice.jobs(), id);
        Optional<JobInfo> job = sluice.jobs().get(id);
        if (!changed) {
          exitCode = ExitCode.NEGATIVE;
        }
        if (root.json()) {
          Map<String, Object> map = new LinkedHashMap<>();
          map.put("id", id.toString());
          map.put("changed", changed);
          map.put("state", job.map(j -> j.state().toString()).orElse(null));
          root.sayJson(map);
        } else if (job.isEmpty()) {
          root.remark("sluice: " + unknown(id));
        } else if (!changed) {
          root.remark("sluice: The job " + id + " is " + job.get().state() + ": " + refused + ".");
        } else if (job.get().state() == JobState.RUNNING) {
          root.say(id + " asked to stop");
        } else {
          root.say(id + " " + done);
        }
      }
    }
    return exitCode;
  }

  private static String unknown(UUID id) {
    return "There is no job " + id + ", or its retention has passed. See 'sluice jobs list'.";
  }
}
