package dev.sluice.cli.watch;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.GroupTally;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Workers and what they say, made up. */
final class Bulletins {
  static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

  private Bulletins() {}

  static WorkerInfo worker(String id, WorkerBulletin bulletin) {
    return new WorkerInfo(
        id,
        "host:" + id,
        Set.of("default"),
        Set.of("mail"),
        new WorkerInfo.Lease(START, START.plusSeconds(60), START, Duration.ofSeconds(30)),
        Optional.ofNullable(bulletin));
  }

  /** A bulletin so many seconds after the start, with so many jobs succeeded, a second each. */
  static WorkerBulletin after(int seconds, long succeeded, List<Long> waits) {
    return new WorkerBulletin(
        START,
        START.plusSeconds(seconds),
        new WorkerBulletin.Load(8, 3, 1, false),
        new WorkerBulletin.Tally(
            Map.of(
                "mail",
                new TaskTally(
                    succeeded + 2,
                    succeeded,
                    0,
                    0,
                    0,
                    new WorkerBulletin.Times(succeeded, 1),
                    WorkerBulletin.Lately.NONE)),
            Map.of("mail", new GroupTally(succeeded, 1, waits))),
        List.of(),
        Map.of());
  }

  /** A bulletin so many seconds after the start, with so many slots got in these groups. */
  static WorkerBulletin acquired(int seconds, Map<String, Long> groups) {
    Map<String, GroupTally> tallies = new HashMap<>();
    groups.forEach((group, acquired) -> tallies.put(group, new GroupTally(acquired, 0, List.of())));
    return new WorkerBulletin(
        START,
        START.plusSeconds(seconds),
        new WorkerBulletin.Load(8, 3, 1, false),
        new WorkerBulletin.Tally(Map.of(), tallies),
        List.of(),
        Map.of());
  }

  /** A bulletin with the events of these numbers. */
  static WorkerBulletin saying(long from, long to) {
    List<WorkerBulletin.Event> events = new ArrayList<>();
    for (long number = from; number <= to; number++) {
      events.add(
          new WorkerBulletin.Event(
              number,
              START.plusSeconds(number),
              "started",
              Optional.of(new UUID(0, number)),
              "mail",
              ""));
    }
    WorkerBulletin plain = after(1, 0, List.of());
    return new WorkerBulletin(START, plain.at(), plain.load(), plain.tally(), events, Map.of());
  }

  /** Classes of waits that are empty but for one. */
  static List<Long> waits(int index, long count) {
    List<Long> waits =
        new ArrayList<>(Collections.nCopies(WorkerBulletin.WAIT_BOUNDS.size() + 1, 0L));
    waits.set(index, count);
    return waits;
  }
}
