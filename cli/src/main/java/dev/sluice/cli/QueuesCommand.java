package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.Queues;
import dev.sluice.Sluice;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists queues, pauses and resumes them. */
@Command(
    name = "queues",
    description = "List, pause and resume queues.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {"Examples:", "  sluice queues list", "  sluice queues pause imports"})
final class QueuesCommand implements Runnable {
  private final SluiceCommand root;

  @Spec private CommandSpec spec;

  QueuesCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "'sluice queues' needs a command.");
  }

  @Command(name = "list", description = "List the queues that have unfinished jobs or are paused.")
  void list() {
    try (Sluice sluice = root.openToRead()) {
      List<Queues.QueueInfo> queues = sluice.queues().list();
      if (root.json()) {
        queues.forEach(queue -> root.sayJson(json(queue)));
        return;
      }
      Table table =
          new Table(root.console().style())
              .flexible("QUEUE")
              .left("STATE")
              .right("READY")
              .right("RUNNING")
              .right("SCHEDULED");
      for (Queues.QueueInfo queue : queues) {
        table.row(
            Printable.of(queue.name()),
            queue.paused() ? root.console().style().yellow("paused") : "open",
            "%,d".formatted(queue.ready()),
            "%,d".formatted(queue.running()),
            "%,d".formatted(queue.scheduled()));
      }
      if (table.isEmpty()) {
        root.remark("No queue has unfinished jobs, and none is paused.");
      } else {
        table.lines(root.console().tableWidth()).forEach(root::say);
      }
    }
  }

  @Command(
      name = "pause",
      description = "Start no more jobs of these queues; running ones go on, submits are accepted.")
  void pause(@Parameters(paramLabel = "QUEUE", arity = "1..*") List<String> queues) {
    requireNames(queues);
    try (Sluice sluice = root.open()) {
      for (String queue : queues) {
        sluice.queues().pause(queue);
        report(queue, true);
      }
    }
  }

  @Command(name = "resume", description = "Start jobs of these queues again.")
  void resume(@Parameters(paramLabel = "QUEUE", arity = "1..*") List<String> queues) {
    requireNames(queues);
    try (Sluice sluice = root.open()) {
      for (String queue : queues) {
        sluice.queues().resume(queue);
        report(queue, false);
      }
    }
  }

  private void report(String queue, boolean paused) {
    if (root.json()) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("name", queue);
      map.put("paused", paused);
      root.sayJson(map);
    } else {
      root.remark(Printable.of("Queue '%s' is %s.".formatted(queue, paused ? "paused" : "open")));
    }
  }

  private static void requireNames(List<String> queues) {
    if (queues.stream().anyMatch(String::isBlank)) {
      throw new InvalidRequestException("A queue's name is empty; give it at least one character.");
    }
  }

  private static Map<String, Object> json(Queues.QueueInfo queue) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", queue.name());
    map.put("paused", queue.paused());
    map.put("ready", queue.ready());
    map.put("running", queue.running());
    map.put("scheduled", queue.scheduled());
    queue.oldestDue().ifPresent(due -> map.put("oldest_due", due.toString()));
    return map;
  }
}
