package dev.sluice.example.media;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Who ran when: a span for every program, request and transaction, noted where it began and ended,
 * not by the throttle that let it in. Thread-safe.
 */
final class Timeline {
  private volatile long zero = System.nanoTime();
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final Consumer<Span> listener;

  /** Something that ran; times are counted from the timeline's beginning. */
  record Span(Label label, String video, Duration start, Duration end) {
    Duration length() {
      return end.minus(start);
    }
  }

  /** Something that runs, until it is closed. */
  interface Open extends AutoCloseable {
    @Override
    void close();
  }

  /** A timeline that begins now; the listener hears of every span at its end. */
  Timeline(Consumer<Span> listener) {
    this.listener = listener;
  }

  /** Lets it begin now, when everything is ready. */
  void begin() {
    zero = System.nanoTime();
  }

  /** Notes that something begins; for a try with resources. */
  Open open(Label label, String video) {
    Duration start = now();
    return () -> add(new Span(label, video, start, now()));
  }

  /** Notes what ran. */
  void add(Span span) {
    spans.add(span);
    listener.accept(span);
  }

  private Duration now() {
    return Duration.ofNanos(System.nanoTime() - zero);
  }

  /** What has ended so far, by its beginning. */
  List<Span> spans() {
    return spans.stream().sorted(Comparator.comparing(Span::start)).toList();
  }

  /** When the last span ended. */
  Duration end() {
    return spans.stream().map(Span::end).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }

  /**
   * The spans with these labels side by side: in each lane, one follows the other. There are as
   * many lanes as ran at once, at most.
   */
  List<List<Span>> lanes(Predicate<Label> labels) {
    List<List<Span>> lanes = new ArrayList<>();
    for (Span span : spans()) {
      if (labels.test(span.label())) {
        lanes.stream()
            .filter(lane -> lane.get(lane.size() - 1).end().compareTo(span.start()) <= 0)
            .findFirst()
            .orElseGet(
                () -> {
                  lanes.add(new ArrayList<>());
                  return lanes.get(lanes.size() - 1);
                })
            .add(span);
      }
    }
    return lanes;
  }
}
