package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;

/** The last minutes, oldest first. */
public record SeriesView(double stepSeconds, List<Point> points) {
  /** A sample: rates per second, jobs by state, and how long things took. */
  public record Point(
      Instant at,
      @JsonUnwrapped OverviewView.Rates rates,
      @JsonUnwrapped Depth depth,
      @JsonUnwrapped Latency latency) {}

  /** Jobs by state. */
  public record Depth(long ready, long waiting, long running) {}

  /** How long attempts took and jobs waited for their slot; absent if none did. */
  public record Latency(
      @Maybe Double durationMeanSeconds,
      @Maybe Double waitP50Seconds,
      @Maybe Double waitP95Seconds) {}
}
