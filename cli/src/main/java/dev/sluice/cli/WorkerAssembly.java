package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.InvalidRequestException;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.cli.config.Configuration;
import dev.sluice.cli.config.Settings;
import dev.sluice.cli.exec.ShellHandler;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.workflow.Workflows;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A worker as the command line and the configuration want it. What is wrong with the options is
 * said when it is made, before a store is opened.
 */
final class WorkerAssembly {
  private final SluiceCommand root;
  private final WorkerOptions options;
  private final Map<String, String> commands;
  private final Map<String, Integer> limits;
  private final Map<String, Integer> keyLimits;
  private final Configuration configuration;

  WorkerAssembly(SluiceCommand root, WorkerOptions options) {
    this.root = root;
    this.options = options;
    commands = pairs("--exec", "COMMAND", options.exec);
    limits = numbers("--max-concurrent", options.maxConcurrent, commands);
    keyLimits = numbers("--max-concurrent-per-key", options.maxConcurrentPerKey, commands);
    configuration = root.configuration();
  }

  private Duration grace() {
    return configuration.get(Settings.WORKER_GRACE, options.grace);
  }

  private List<String> queues() {
    return configuration.get(Settings.WORKER_QUEUES, options.queues);
  }

  /** Whether it sees to schedules as well. */
  boolean schedules() {
    return !options.noSchedules && configuration.get(Settings.WORKER_SCHEDULES);
  }

  /** Starts it, and says so. */
  Worker start(Sluice sluice, Workflows workflows) {
    List<String> queues = queues();
    Duration lease = configuration.get(Settings.DEFAULT_LEASE, options.lease);
    WorkerBuilder builder =
        workflows
            .serve(sluice.worker())
            .queues(queues.get(0), queues.subList(1, queues.size()).toArray(new String[0]))
            .concurrency(configuration.get(Settings.WORKER_CONCURRENCY, options.concurrency))
            .lease(lease)
            .grace(grace())
            .poll(configuration.get(Settings.WORKER_POLL))
            .retention(configuration.get(Settings.WORKER_RETENTION));
    Set<String> withheld = Settings.secretVariables(root.surroundings().environment());
    commands.forEach(
        (task, command) ->
            builder.handleReturning(
                task(task, limits.get(task), keyLimits.get(task)),
                new ShellHandler(command, lease, withheld)));
    if (!options.quiet) {
      builder.listener(new JobLog(root));
    }
    Worker worker = builder.start();
    root.remark(
        Printable.of(
            "Worker %s (%s) serves %s in %s. Ctrl-C stops it."
                .formatted(
                    worker.name(),
                    worker.id(),
                    described(),
                    "queue " + String.join(", ", queues))));
    return worker;
  }

  /** Lets it finish what it runs. */
  void drain(Worker worker) {
    root.remark(
        "Stopping: %d at work, for at most %s. Ctrl-C again ends them now."
            .formatted(worker.running(), Durations.format(grace())));
    if (!worker.stop(grace())) {
      root.remark("Not every command finished in time; their jobs were handed back.");
    }
  }

  private Task<JsonNode> task(String name, Integer limit, Integer keyLimit) {
    int attempts = configuration.get(Settings.WORKER_ATTEMPTS, options.attempts);
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

  private String described() {
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
                    "%s of task '%s' is '%s'; use a whole number from 0 to %d."
                        .formatted(option, task, number, Integer.MAX_VALUE));
              }
            });
    return numbers;
  }
}
