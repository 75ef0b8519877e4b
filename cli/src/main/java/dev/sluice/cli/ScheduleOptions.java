package dev.sluice.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.schedule.Misfire;
import dev.sluice.schedule.Overlap;
import java.time.Duration;
import picocli.CommandLine.Option;

/** What can be said about a schedule on the command line, at create and update alike. */
final class ScheduleOptions {
  private static final double MILLIS_PER_SECOND = 1_000.0;

  @Option(
      names = "--cron",
      paramLabel = "EXPRESSION",
      description =
          "When: minute, hour, day of month, month, day of week; six fields have the second in front;"
              + " or @hourly, @daily, @weekly, @monthly, @yearly.")
  private String cron;

  @Option(
      names = "--zone",
      description = "Whose clock that is about, such as Europe/Berlin. Default: UTC")
  private String zone;

  @Option(
      names = "--every",
      paramLabel = "D",
      description = "Or at a fixed interval, 1s or more: 30s, 15m, 2h.")
  private Duration every;

  @Option(
      names = "--payload",
      paramLabel = "JSON|@FILE|-",
      description = "The payload of its jobs. Default: {}")
  private String payload;

  @Option(names = "--queue", description = "The queue of its jobs. Default: default")
  private String queue;

  @Option(names = "--priority", paramLabel = "P", description = "Higher starts first. Default: 0")
  private Integer priority;

  @Option(names = "--timeout", paramLabel = "D", description = "How long an attempt may run.")
  private Duration timeout;

  @Option(
      names = "--misfire",
      paramLabel = "run_once|skip",
      description =
          "What becomes of occurrences missed by more than a minute. Default: run_once, one job for"
              + " all of them")
  private Misfire misfire;

  @Option(
      names = "--overlap",
      paramLabel = "wait|skip|allow",
      description =
          "What becomes of one that is due while the job before is unfinished. Default: wait")
  private Overlap overlap;

  /** Puts what was given in place of what is there. */
  void applyTo(ObjectNode json) {
    if (cron != null) {
      json.remove("every_seconds");
      json.remove("anchor");
      json.put("cron", cron);
    }
    if (every != null) {
      if (cron == null) {
        json.remove("cron");
      }
      if (zone == null) {
        json.remove("zone");
      }
      json.remove("anchor");
      json.put("every_seconds", every.toMillis() / MILLIS_PER_SECOND);
    }
    if (zone != null) {
      json.put("zone", zone);
    }
    if (payload != null) {
      json.set("payload", Payload.read(payload, System.in));
    }
    if (queue != null) {
      json.put("queue", queue);
    }
    if (priority != null) {
      json.put("priority", priority);
    }
    if (timeout != null) {
      json.put("timeout_seconds", timeout.toMillis() / MILLIS_PER_SECOND);
    }
    if (misfire != null) {
      json.put("misfire", misfire.toString());
    }
    if (overlap != null) {
      json.put("overlap", overlap.toString());
    }
  }
}
