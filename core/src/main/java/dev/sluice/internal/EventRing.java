package dev.sluice.internal;

import dev.sluice.WorkerBulletin.Event;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The latest events of a worker. Starts and successes, of which there may be tens of thousands a
 * second, and everything else have rings of their own, so that a failure is not swept away by
 * successes. Thread-safe, without a lock: who reads while others write may miss an event that is
 * only just being noted, and then sees that its number is missing.
 */
final class EventRing {
  static final int MOST = 50;
  private static final int EACH = MOST / 2;
  private static final int LONGEST_DETAIL = 200;

  private record Noted(
      long number, long millis, String what, UUID job, String task, String detail) {
    Event event() {
      return new Event(
          number, Instant.ofEpochMilli(millis), what, Optional.ofNullable(job), task, detail);
    }
  }

  private final AtomicLong numbers = new AtomicLong();
  private final AtomicLong routines = new AtomicLong();
  private final AtomicLong troubles = new AtomicLong();
  private final AtomicReferenceArray<Noted> routine = new AtomicReferenceArray<>(EACH);
  private final AtomicReferenceArray<Noted> trouble = new AtomicReferenceArray<>(EACH);

  /** Notes what goes as it should. */
  void routine(String what, UUID job, String task) {
    int place = (int) (routines.getAndIncrement() % EACH);
    routine.set(place, noted(what, job, task, ""));
  }

  /** Notes what an operator may want to look at; {@code job} may be null. */
  void trouble(String what, UUID job, String task, String detail) {
    int place = (int) (troubles.getAndIncrement() % EACH);
    trouble.set(place, noted(what, job, task, BoundedText.of(detail, LONGEST_DETAIL)));
  }

  private Noted noted(String what, UUID job, String task, String detail) {
    long number = numbers.incrementAndGet();
    return new Noted(number, System.currentTimeMillis(), what, job, task, detail);
  }

  /** The latest events, oldest first. */
  List<Event> read() {
    return Stream.concat(contents(routine), contents(trouble))
        .sorted(Comparator.comparingLong(Noted::number))
        .map(Noted::event)
        .toList();
  }

  private static Stream<Noted> contents(AtomicReferenceArray<Noted> ring) {
    return IntStream.range(0, EACH).mapToObj(ring::get).filter(noted -> noted != null);
  }
}
