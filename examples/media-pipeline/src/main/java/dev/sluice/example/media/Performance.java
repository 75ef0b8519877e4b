package dev.sluice.example.media;

import dev.sluice.throttle.Throttles;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run of the demo showed.
 *
 * @param title what was special about it
 * @param throttles those it ran under
 * @param timeline what ran when
 */
record Performance(String title, Throttles throttles, Timeline timeline) {
  /** How many spans of this label ran at once, at most, and how many were allowed. */
  String peak(Label label) {
    return "%d of %d"
        .formatted(timeline.lanes(each -> each == label).size(), label.throttle(throttles).limit());
  }

  /** A number for each video, in order of their names. */
  Map<String, Integer> videos() {
    Map<String, Integer> numbers = new TreeMap<>();
    timeline.spans().forEach(span -> numbers.put(span.video(), 0));
    int next = 0;
    for (Map.Entry<String, Integer> video : numbers.entrySet()) {
      video.setValue(next++);
    }
    return numbers;
  }

  /** What took longest of all that was done to a video. */
  Timeline.Span longest(String video) {
    return timeline.spans().stream()
        .filter(span -> span.video().equals(video))
        .max(Comparator.comparing(Timeline.Span::length))
        .orElseThrow();
  }

  /** {@code 12.3 s}. */
  static String seconds(Duration duration) {
    return "%.1f s".formatted(duration.toMillis() / 1000.0);
  }
}
