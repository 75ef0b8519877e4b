package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.schedule.Misfire;
import dev.sluice.schedule.Overlap;
import dev.sluice.schedule.ScheduleInfo;
import dev.sluice.schedule.ScheduleSpec;
import dev.sluice.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A schedule. */
public record ScheduleView(
    String name,
    @JsonUnwrapped When when,
    @JsonUnwrapped What what,
    boolean paused,
    String source,
    @Maybe Instant next,
    @Maybe Last last) {

  /** By the calendar or at an interval, and what becomes of what was missed or overlaps. */
  public record When(
      @Maybe String cron,
      @Maybe String zone,
      @Maybe Double everySeconds,
      Misfire misfire,
      Overlap overlap,
      Instant createdAt) {}

  /** What its jobs are. */
  public record What(
      String task,
      String queue,
      int priority,
      @Maybe Double timeoutSeconds,
      JsonNode payload,
      List<String> groups) {}

  /** What became of the occurrence before. */
  public record Last(
      Instant occurrence,
      Instant at,
      ScheduleInfo.Outcome outcome,
      @Maybe UUID job,
      @Maybe String message) {}

  /** A schedule on record. */
  public static ScheduleView of(ScheduleInfo schedule) {
    ScheduleSpec spec = schedule.spec();
    Timing.Cron cron = spec.timing() instanceof Timing.Cron c ? c : null;
    return new ScheduleView(
        spec.name(),
        new When(
            cron == null ? null : cron.expression(),
            cron == null ? null : cron.zone().getId(),
            spec.timing() instanceof Timing.Every every ? ViewJson.seconds(every.interval()) : null,
            spec.misfire(),
            spec.overlap(),
            schedule.createdAt()),
        new What(
            spec.task(),
            spec.queue(),
            spec.priority(),
            spec.timeout().map((Duration d) -> ViewJson.seconds(d)).orElse(null),
            ViewJson.MAPPER.valueToTree(spec.payload()),
            spec.groups().stream().map(Object::toString).toList()),
        schedule.paused(),
        schedule.source(),
        schedule.next().orElse(null),
        schedule
            .last()
            .map(
                l ->
                    new Last(
                        l.occurrence(),
                        l.at(),
                        l.outcome(),
                        l.job().orElse(null),
                        l.message().orElse(null)))
            .orElse(null));
  }
}
