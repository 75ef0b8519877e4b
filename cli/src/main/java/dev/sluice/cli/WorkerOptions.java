package dev.sluice.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of a worker whose handlers are shell commands, for each command that can be one. */
final class WorkerOptions {
  @Option(
      names = "--exec",
      paramLabel = "TASK=COMMAND",
      description = "Run jobs of the task with the command; repeat for more.")
  List<String> exec = new ArrayList<>();

  @Option(
      names = "--max-concurrent",
      paramLabel = "TASK=N",
      description = "At most N of the task at once, across every worker; repeat for more.")
  List<String> maxConcurrent = new ArrayList<>();

  @Option(
      names = "--max-concurrent-per-key",
      paramLabel = "TASK=N",
      description = "At most N at once for each concurrency key of the task, across every worker.")
  List<String> maxConcurrentPerKey = new ArrayList<>();

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "How many commands at once in this worker. Default: worker.concurrency, or 64")
  Integer concurrency;

  @Option(
      names = "--queue",
      description = "Serve this queue; repeat for more. Default: worker.queues, or default")
  List<String> queues;

  @Option(
      names = "--attempts",
      paramLabel = "N",
      description = "How many attempts a job gets. Default: worker.attempts, or 5")
  Integer attempts;

  @Option(
      names = "--lease",
      paramLabel = "D",
      description =
          "How long the worker may be silent before it counts as dead. Default:"
              + " concurrency.default_lease_duration_secs, or 30s")
  Duration lease;

  @Option(
      names = "--grace",
      paramLabel = "D",
      description =
          "How long running commands may take to finish on SIGTERM. Default: worker.grace_secs, or"
              + " 30s")
  Duration grace;

  @Option(
      names = "--no-schedules",
      description = "Leave it to others to submit what schedules say is due.")
  boolean noSchedules;

  @Option(names = "--quiet", description = "Say nothing about single jobs.")
  boolean quiet;
}
