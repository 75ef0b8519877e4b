package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.cli.exec.ShellHandler;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A worker whose handlers are shell commands. */
@Command(
    name = "worker",
    description = {
      "Run shell commands as handlers of tasks.",
      "",
      "A command is run by 'sh -c', with the payload on standard input and SLUICE_JOB_ID, SLUICE_TASK,"
          + " SLUICE_ATTEMPT and SLUICE_FENCING_TOKEN in its environment. Exit code 0 succeeds, and what"
          + " was printed is the result (64 kB are kept); any other fails the attempt, with the end of"
          + " standard error as its message, and is tried again.",
      "",
      "On cancel, on timeout and at the end of --grace the command and everything it started get"
          + " SIGTERM, and what is left of them after 3 s gets SIGKILL. When the lease is lost, or the"
          + " worker itself is killed or frozen, a watchdog beside the command sends SIGKILL with no"
          + " SIGTERM before it, before anyone else can be given the job. Whatever a command leaves"
          + " running in the background is killed when it ends. All this holds for the command's"
          + " process group: a process that leaves it, as with setsid, is not found and runs on.",
      "",
      "A worker also moves workflows on whose steps it runs: see 'sluice workflow'."
    },
    footer = {
      "Examples:",
      "  sluice worker --exec greet='read -r who; echo hello $who'",
      "  sluice worker --exec resize=./resize.sh --max-concurrent resize=3",
      "  sluice worker --exec a=./a.sh --exec b=./b.sh --queue imports --concurrency 8"
    })
final class WorkerCommand implements Callable<Integer> {
  private final SluiceCommand root;

  @Option(
      names = "--exec",
      paramLabel = "TASK=COMMAND",
      required = true,
      description = "Run jobs of the task with the command; repeat for more.")
  private List<String> exec;

  @Option(
      names = "--max-concurrent",
      paramLabel = "TASK=N",
      description = "At most N of the task at once, across every worker; repeat for more.")
  private List<String> maxConcurrent = new ArrayList<>();

  @Option(
      names = "--max-concurrent-per-key",
      paramLabel = "TASK=N",
      description = "At most N at once for each concurrency key of the task, across every worker.")
  private List<String> maxConcurrentPerKey = new ArrayList<>();

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many commands at once in this worker. Default: 64")
  private int concurrency = WorkerBuilder.DEFAULT_CONCURRENCY;

  @Option(names = "--queue", description = "Serve this queue; repeat for more. Default: default")
  private List<String> queues = List.of(SubmitOptions.DEFAULT_QUEUE);

  @Option(
      names = "--attempts",
      paramLabel = "N",
      description = "How many attempts a job gets. Default: 5")
  private int attempts = RetryPolicy.DEFAULT.maxAttempts();

  @Option(
      names = "--lease",
      paramLabel = "D",
      description = "How long the worker may be silent before it counts as dead. Default: 30s")
  private Duration lease = WorkerBuilder.DEFAULT_LEASE;

  @Option(
      names = "--grace",
      paramLabel = "D",
      description = "How long running commands may take to finish on SIGTERM. Default: 30s")
  private Duration grace = WorkerBuilder.DEFAULT_GRACE;

  @Option(names = "--quiet", description = "Say nothing about single jobs.")
  private boolean quiet;

  WorkerCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    Map<String, String> commands = pairs("--exec", "COMMAND", exec);
    Map<String, Integer> limits = numbers("--max-concurrent", maxConcurrent, commands);
    Map<String, Integer> keyLimits =
        numbers("--max-concurrent-per-key", maxConcurrentPerKey, commands);
    StopSignal stop = StopSignal.install();
    try (Sluice sluice = root.open();
        Workflows workflows = Workflows.on(sluice)) {
      WorkerBuilder builder =
          workflows
              .serve(sluice.worker())
              .queues(queues.get(0), queues.subList(1, queues.size()).toArray(new String[0]))
              .concurrency(concurrency)
              .lease(lease)
              .grace(grace);
      commands.forEach(
          (task, command) ->
              builder.handleReturning(
                  task(task, limits.get(task), keyLimits.get(task)),
                  new ShellHandler(command, lease)));
      if (!quiet) {
        builder.listener(new JobLog(root));
      }
      Worker worker = builder.start();
      root.remark(
          Printable.of(
              "Worker %s serves %s in %s. Ctrl-C stops it."
                  .formatted(
                      worker.id(),
                      described(commands, limits),
                      "queue " + String.join(", ", queues))));
      stop.await();
      root.remark(
          "Stopping: %d at work, for at most %s. Ctrl-C again ends them now."
              .formatted(worker.running(), Durations.format(grace)));
      if (!worker.stop(grace)) {
        root.remark("Not every command finished in time; their jobs were handed back.");
      }
      return ExitCode.OK;
    }
  }

  private Task<JsonNode> task(String name, Integer limit, Integer keyLimit) {
    Task.Builder<JsonNode> task =
        Task.named(name, JsonNode.class)
            .retry(RetryPolicy.exponential().maxAttempts(attempts).build());
    if (limit != null) {
      task.maxConcurrent(limit);
    }
    if (keyLimit != null) {
      task.maxConcurrentPerKey(keyLimit);
    }
    return task.build();
  }

  private static String described(Map<String, String> commands, Map<String, Integer> limits) {
    return commands.keySet().stream()
        .map(task -> limits.containsKey(task) ? task + " (at most " + limits.get(task) + ")" : task)
        .collect(Collectors.joining(", "));
  }

  private static Map<String, String> pairs(String option, String what, List<String> arguments) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (equals < 1 || equals == argument.length() - 1) {
        throw new InvalidRequestException(
            "%s is '%s'; write it as TASK=%s.".formatted(option, argument, what));
      }
      if (pairs.put(argument.substring(0, equals), argument.substring(equals + 1)) != null) {
        throw new InvalidRequestException(
            "%s is given twice for the task '%s'."
                .formatted(option, argument.substring(0, equals)));
      }
    }
    return pairs;
  }

  private static Map<String, Integer> numbers(
      String option, List<String> arguments, Map<String, String> commands) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    pairs(option, "N", arguments)
        .forEach(
            (task, number) -> {
              if (!commands.containsKey(task)) {
                throw new InvalidRequestException(
                    "%s names the task '%s', which has no --exec here.".formatted(option, task));
              }
              try {
                numbers.put(task, Integer.parseInt(number));
              } catch (NumberFormatException e) {
                throw new InvalidRequestException(
                    "%s of task '%s' is '%s'; use a whole number.".formatted(option, task, number));
              }
            });
    return numbers;
  }
}
