package dev.sluice.spi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Schedules, as versioned documents. The store knows when a schedule is next due and nothing of
 * what its text says.
 *
 * <p>A schedule is replaced only by someone who has read it: {@link #replace} and {@link #delete}
 * succeed for one of any number that have read the same version. A version is never used twice for
 * a name, not even after the schedule was deleted and created again.
 */
public interface ScheduleStore {
  /**
   * What is written.
   *
   * @param name its name, 1 to 200 characters
   * @param text what the schedule consists of
   * @param next when it is due next; empty = never (it is paused, or has come to its end)
   */
  record Entry(String name, String text, Optional<Instant> next) {}

  /**
   * What is read.
   *
   * @param entry what was written
   * @param version names this state of it
   * @param updatedAt when this was written, by the store's clock
   * @param readAt when it was read, by the same clock
   */
  record StoredSchedule(Entry entry, long version, Instant updatedAt, Instant readAt) {}

  /**
   * Creates a schedule.
   *
   * @return false if the name is taken; nothing was changed then
   */
  boolean create(Entry entry);

  /** The schedule of this name. */
  Optional<StoredSchedule> get(String name);

  /** Every schedule, by name. */
  List<StoredSchedule> list();

  /** Schedules that are due by the store's clock, those that have waited longest first. */
  List<StoredSchedule> due(int most);

  /**
   * Replaces a schedule.
   *
   * @param version the version that was read
   * @return false if it has another version by now, or is gone; nothing was changed then
   */
  boolean replace(Entry entry, long version);

  /**
   * Deletes a schedule.
   *
   * @param version the version that was read
   * @return false if it has another version by now, or is gone; nothing was changed then
   */
  boolean delete(String name, long version);
}
