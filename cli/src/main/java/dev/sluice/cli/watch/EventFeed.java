package dev.sluice.cli.watch;

import dev.sluice.LimitChange;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What is new since the last look: told from the bulletins of the workers, which carry the latest
 * of their events with a number each, from the log of limits, and from who is there. What was there
 * at the first look is old. Not thread-safe.
 */
public final class EventFeed {
  static final String LIMIT_CHANGED = "limit_changed";
  static final String DROPPED = "dropped";

  /** A worker that goes takes its last bulletin along. */
  static final String LAST_WORDS = "what it did in its last seconds may have gone by unseen";

  private static final long UNKNOWN = -1;
  private static final int MOST_HEARD = 10_000;

  private final Map<String, WorkerInfo> workers = new HashMap<>();
  private final Map<Speaker, Long> heard = new LinkedHashMap<>();
  private final Set<String> oldHands = new HashSet<>();
  private final Set<LimitChange> changes = new HashSet<>();
  private boolean looked;

  /** A worker that counts its events, which goes on counting when it gets a new id. */
  private record Speaker(String name, Instant since) {}

  /**
   * What has happened since the call before, oldest first.
   *
   * @param now all workers
   * @param log the latest changes of limits
   * @param at when this was read
   */
  public List<Event> look(List<WorkerInfo> now, List<LimitChange> log, Instant at) {
    List<Event> events = new ArrayList<>();
    for (LimitChange change : log) {
      if (changes.add(change) && looked) {
        events.add(limit(change));
      }
    }
    Set<String> there = new HashSet<>();
    for (WorkerInfo worker : now) {
      there.add(worker.id());
      if (!looked) {
        oldHands.add(worker.id());
      }
      if (workers.put(worker.id(), worker) == null && looked) {
        String tasks = "runs " + String.join(", ", worker.tasks());
        events.add(
            new Event(
                worker.lease().startedAt(),
                "worker_started",
                Optional.empty(),
                worker.name(),
                worker.id(),
                tasks));
      }
      worker.bulletin().ifPresent(bulletin -> hear(worker, bulletin, events));
    }
    for (WorkerInfo worker : List.copyOf(workers.values())) {
      if (!there.contains(worker.id())) {
        workers.remove(worker.id());
        events.add(
            new Event(at, "worker_gone", Optional.empty(), worker.name(), worker.id(), LAST_WORDS));
      }
    }
    looked = true;
    events.sort(Comparator.comparing(Event::at));
    return events;
  }

  private void hear(WorkerInfo worker, WorkerBulletin bulletin, List<Event> events) {
    Speaker speaker = new Speaker(worker.name(), bulletin.since());
    Long before = heard.remove(speaker);
    // Whoever came after us has said nothing yet that we need not know.
    long last = before != null ? before : oldHands.contains(worker.id()) ? UNKNOWN : 0;
    for (WorkerBulletin.Event event : bulletin.events()) {
      if (event.number() <= last) {
        continue;
      }
      if (looked && last != UNKNOWN && event.number() > last + 1) {
        events.add(dropped(worker, event, event.number() - last - 1));
      }
      last = event.number();
      if (looked) {
        events.add(
            new Event(
                event.at(), event.what(), event.job(), event.task(), worker.id(), event.detail()));
      }
    }
    heard.put(speaker, Math.max(0, last));
    if (heard.size() > MOST_HEARD) {
      heard.remove(heard.keySet().iterator().next());
    }
  }

  private static Event dropped(WorkerInfo worker, WorkerBulletin.Event next, long count) {
    return new Event(
        next.at(),
        DROPPED,
        Optional.empty(),
        worker.name(),
        worker.id(),
        "%d events of this worker went by unseen".formatted(count));
  }

  private static Event limit(LimitChange change) {
    String detail =
        "%s -> %s at level %s by %s"
            .formatted(
                number(change.before()), number(change.after()), change.level(), change.by());
    return new Event(
        change.at(), LIMIT_CHANGED, Optional.empty(), change.group().toString(), "", detail);
  }

  private static String number(OptionalInt limit) {
    return limit.isPresent() ? String.valueOf(limit.getAsInt()) : "none";
  }
}
