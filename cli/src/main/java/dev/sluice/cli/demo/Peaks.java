package dev.sluice.cli.demo;

import dev.sluice.Group;
import dev.sluice.cli.demo.EventFile.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many handlers of each group really ran at once, over all processes, and how many ended. */
public final class Peaks {
  private final Map<Group, Integer> peaks = new HashMap<>();
  private final Map<Group, Integer> ended = new HashMap<>();

  private Peaks() {}

  /**
   * Measures.
   *
   * @param processes the events of each process, with the moment at which it was gone
   */
  public static Peaks of(List<Record> processes) {
    List<Event> all = new ArrayList<>();
    processes.forEach(process -> all.addAll(process.completed()));
    // At one and the same nanosecond an end comes before a start: the two did not overlap.
    all.sort(Comparator.comparingLong(Event::nanos).thenComparingInt(Event::change));
    Peaks measured = new Peaks();
    Map<Group, Integer> running = new HashMap<>();
    for (Event event : all) {
      int now = running.merge(event.group(), event.change(), Integer::sum);
      measured.peaks.merge(event.group(), now, Math::max);
      if (event.change() < 0) {
        measured.ended.merge(event.group(), 1, Integer::sum);
      }
    }
    return measured;
  }

  /** The most that ran at once. */
  public int peak(Group group) {
    return peaks.getOrDefault(group, 0);
  }

  /** How many ended. */
  public int ended(Group group) {
    return ended.getOrDefault(group, 0);
  }

  /**
   * What one process did.
   *
   * @param events its events
   * @param goneAt when it was gone: whatever had not ended by itself ended then
   */
  public record Record(List<Event> events, long goneAt) {
    private List<Event> completed() {
      Map<Group, Integer> open = new HashMap<>();
      events.forEach(event -> open.merge(event.group(), event.change(), Integer::sum));
      List<Event> completed = new ArrayList<>(events);
      open.forEach(
          (group, count) -> {
            for (int i = 0; i < count; i++) {
              completed.add(new Event(goneAt, -1, group));
            }
          });
      return completed;
    }
  }
}
