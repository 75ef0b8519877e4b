package dev.sluice.schedule;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Schedules that cannot be seen to, as this version cannot read them: left alone for a minute each
 * time. They stay due, so whoever looks has to look past them. For one thread.
 */
final class BrokenSchedules {
  static final long REST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanos;
  private final Map<String, Long> since = new HashMap<>();

  /**
   * None.
   *
   * @param nanos a clock such as {@link System#nanoTime}
   */
  BrokenSchedules(LongSupplier nanos) {
    this.nanos = nanos;
  }

  void add(String name) {
    since.put(name, nanos.getAsLong());
  }

  void remove(String name) {
    since.remove(name);
  }

  /** Whether this one is to be left alone for now. */
  boolean rests(String name) {
    Long failed = since.get(name);
    return failed != null && nanos.getAsLong() - failed < REST_NANOS;
  }

  /** Forgets all but these. */
  void retain(Collection<String> names) {
    since.keySet().retainAll(names);
  }

  int size() {
    return since.size();
  }
}
