package dev.sluice.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.List;

/** The meters of one task, or of all that have no name of their own. */
record TaskMeters(Counter submitted, Counter started, Ends ends, Returns returns, Timer duration) {
  /** How jobs end. */
  record Ends(Counter succeeded, Counter failed, Counter cancelled) {}

  /** How attempts come to nothing. */
  record Returns(Counter retried, Counter refiled) {}

  static TaskMeters of(Meters meters, String task) {
    Tags tags = Tags.of("task", task);
    return new TaskMeters(
        meters.counter(
            "sluice.jobs.submitted",
            "Jobs that were newly stored, also by transactions that were rolled back later",
            tags),
        meters.counter("sluice.jobs.started", "Attempts whose handler was started", tags),
        new Ends(
            meters.counter("sluice.jobs.succeeded", "Jobs that succeeded", tags),
            meters.counter("sluice.jobs.failed", "Jobs that failed for good", tags),
            meters.counter("sluice.jobs.cancelled", "Jobs that were cancelled", tags)),
        new Returns(
            meters.counter("sluice.jobs.retried", "Attempts that failed and are tried again", tags),
            meters.counter(
                "sluice.jobs.refiled",
                "Jobs that were filed anew under the groups that their task declares",
                tags)),
        meters.durations("sluice.jobs.duration", "How long handlers ran", tags));
  }

  List<Meter> all() {
    return List.of(
        submitted,
        started,
        ends.succeeded,
        ends.failed,
        ends.cancelled,
        returns.retried,
        returns.refiled,
        duration);
  }
}
