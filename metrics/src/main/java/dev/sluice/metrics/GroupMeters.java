package dev.sluice.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.List;

/** The meters of one group, or of all that have no name of their own. */
record GroupMeters(Counter acquired, Counter rejected, Timer waits) {
  static GroupMeters of(Meters meters, String group) {
    Tags tags = Tags.of("group", group);
    return new GroupMeters(
        acquisitions(meters, tags, "acquired"),
        acquisitions(meters, tags, "rejected"),
        meters.waits(
            "sluice.concurrency.wait", "How long jobs were due before they got their slot", tags));
  }

  private static Counter acquisitions(Meters meters, Tags tags, String result) {
    return meters.counter(
        "sluice.concurrency.acquisition",
        "Slots that were acquired, and times that none was to be had",
        tags.and("result", result));
  }

  List<Meter> all() {
    return List.of(acquired, rejected, waits);
  }
}
