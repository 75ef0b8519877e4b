package dev.sluice.schedule;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.ScheduleStore;
import dev.sluice.spi.ScheduleStore.StoredSchedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes schedules: reads one, and replaces it unless somebody else has, in which case it reads
 * again.
 */
final class ScheduleEditor {
  private static final Logger log = LoggerFactory.getLogger(ScheduleEditor.class);
  private static final int MOST_TRIES = 200;
  private static final long LONGEST_PAUSE = 20_000_000;

  private final ScheduleStore store;
  private final Payloads payloads;

  /** A schedule that was read, with what it is replaced by. */
  record Read(Schedule schedule, StoredSchedule stored) {
    ScheduleInfo info() {
      return schedule.info(stored.updatedAt());
    }
  }

  ScheduleEditor(ScheduleStore store, Payloads payloads) {
    this.store = store;
    this.payloads = payloads;
  }

  /** The same schedule with its payload as it will be read back. */
  ScheduleSpec written(ScheduleSpec spec) {
    return payloads.written(spec);
  }

  /**
   * Creates a schedule; empty if there is one of that name. Only the store knows when that was, so
   * it is set going by a second write. If this process does not get to it, a scheduler does.
   */
  Optional<ScheduleInfo> create(ScheduleSpec spec, String source) {
    Schedule schedule = Schedule.create(written(spec), source);
    if (!store.create(schedule.entry())) {
      return Optional.empty();
    }
    Optional<StoredSchedule> stored = store.get(spec.name());
    stored
        .map(ScheduleEditor::read)
        .filter(read -> read.schedule.times().isEmpty())
        .ifPresent(
            read ->
                store.replace(
                    read.schedule.begin(read.stored.updatedAt()).entry(), read.stored.version()));
    return stored.map(ScheduleEditor::info).or(() -> Optional.of(schedule.info(Instant.EPOCH)));
  }

  /** Changes a schedule, given what it is and what time it is; empty if there is none. */
  Optional<ScheduleInfo> change(String name, BiFunction<Schedule, Instant, Schedule> change) {
    for (int tries = 1; tries <= MOST_TRIES; tries++) {
      Optional<Read> read = store.get(name).map(ScheduleEditor::read);
      if (read.isEmpty()) {
        return Optional.empty();
      }
      StoredSchedule stored = read.get().stored;
      Schedule changed = change.apply(read.get().schedule, stored.readAt());
      if (changed.equals(read.get().schedule) || store.replace(changed.entry(), stored.version())) {
        return Optional.of(changed.info(stored.updatedAt()));
      }
      pause();
    }
    throw contended(name);
  }

  /** Deletes a schedule if it is as asked for; false if there is none such. */
  boolean delete(String name, Predicate<StoredSchedule> condition) {
    for (int tries = 1; tries <= MOST_TRIES; tries++) {
      Optional<StoredSchedule> stored = store.get(name).filter(condition);
      if (stored.isEmpty()) {
        return false;
      }
      if (store.delete(name, stored.get().version())) {
        return true;
      }
      pause();
    }
    throw contended(name);
  }

  /** Every schedule that this version can read, by name. */
  List<Read> all() {
    List<Read> all = new ArrayList<>();
    for (StoredSchedule stored : store.list()) {
      try {
        all.add(read(stored));
      } catch (StoreIncompatibleException e) {
        log.warn("A schedule is left out. {}", e.getMessage());
      }
    }
    return all;
  }

  static Read read(StoredSchedule stored) {
    return new Read(ScheduleText.read(stored.entry()), stored);
  }

  static ScheduleInfo info(StoredSchedule stored) {
    return read(stored).info();
  }

  private static void pause() {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE));
  }

  private static StoreUnavailableException contended(String name) {
    return new StoreUnavailableException(
        "The schedule '%s' is being changed by many at once; try again.".formatted(name), null);
  }
}
