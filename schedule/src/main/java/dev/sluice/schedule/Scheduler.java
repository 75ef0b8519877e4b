package dev.sluice.schedule;

import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.schedule.DueSchedules.Seen;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.ScheduleStore.StoredSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits the jobs of schedules when they are due, in the background, until it is closed. Any
 * number may run side by side, in any number of processes: each occurrence gets one job all the
 * same. Thread-safe.
 */
public final class Scheduler implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Scheduler.class);
  private static final int BATCH = 100;

  /** While there is no schedule at all, looks are this many times rarer. */
  private static final int IDLE_FACTOR = 3;

  private static final long LIST_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long LEAST_SLEEP = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LEAST_SPREAD = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MOST_SPREAD = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LONGEST_BACKOFF = TimeUnit.SECONDS.toNanos(15);

  private enum Turn {
    DONE,
    LOST,
    FAILED,
    RESTS
  }

  private final JobStore store;
  private final DueSchedules due;
  private final long poll;
  private final Consumer<Scheduler> onClose;
  private final Thread thread;
  private final StoreTime clock = new StoreTime();
  private final BrokenSchedules broken = new BrokenSchedules(System::nanoTime);

  private boolean closed;
  private boolean woken;
  private long listedAt;
  private boolean idle;
  private long spread;
  private int failures;

  Scheduler(JobStore store, Duration poll, Consumer<Scheduler> onClose) {
    this.store = store;
    this.due = new DueSchedules(store);
    this.poll = poll.toNanos();
    this.onClose = onClose;
    this.listedAt = System.nanoTime() - LIST_NANOS;
    thread = new Thread(this::run, "sluice-scheduler");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    while (!isClosed()) {
      long sleep;
      try {
        sleep = look();
        if (failures > 0) {
          log.info("Schedules can be seen to again.");
        }
        failures = 0;
      } catch (RuntimeException | Error e) {
        sleep = failed(e);
      }
      if (sleep(sleep)) {
        listedAt = System.nanoTime() - LIST_NANOS;
      }
    }
  }

  /** Sees to what is due; answers how long to sleep then, in nanoseconds. */
  private long look() {
    long before = System.nanoTime();
    // Those that are broken stay due, and come first: the batch begins behind them.
    int most = BATCH + broken.size();
    List<StoredSchedule> found = store.schedules().due(most);
    boolean all = found.size() < most;
    if (all) {
      broken.retain(found.stream().map(stored -> stored.entry().name()).toList());
    }
    clock.forgetUntil(before);
    found.forEach(stored -> clock.heard(stored.readAt()));
    // Each begins with another, and reads again when somebody was there before: so they share.
    List<StoredSchedule> shuffled = new ArrayList<>(found);
    Collections.shuffle(shuffled, ThreadLocalRandom.current());
    boolean more = false;
    for (StoredSchedule stored : shuffled) {
      Turn turn = seeTo(stored, before);
      if (turn == Turn.LOST) {
        return LEAST_SLEEP + spreadOut();
      }
      more |= turn != Turn.RESTS && !all;
    }
    if (more) {
      return 0;
    }
    if (System.nanoTime() - listedAt >= LIST_NANOS) {
      list();
    }
    long untilNext = clock.untilNext() + spreadOut();
    return Math.max(LEAST_SLEEP, Math.min(untilNext, idle ? poll * IDLE_FACTOR : poll));
  }

  /** Learns when each schedule is due, so as to be there in time. */
  private void list() {
    listedAt = System.nanoTime();
    List<StoredSchedule> all;
    try {
      all = store.schedules().list();
    } catch (StoreIncompatibleException e) {
      // Then it is there at the next look.
      log.debug("Not every schedule can be read.", e);
      return;
    }
    idle = all.isEmpty();
    clock.forget();
    all.forEach(each -> clock.heard(each.readAt()));
    all.forEach(each -> clock.expect(each.entry().next()));
  }

  private Turn seeTo(StoredSchedule stored, long readNanos) {
    String name = stored.entry().name();
    if (broken.rests(name)) {
      return Turn.RESTS;
    }
    try {
      Seen seen = due.seeTo(stored, readNanos);
      broken.remove(name);
      idle = false;
      clock.expect(seen.next());
      // Where others are as quick, not everybody needs to be there at the same moment.
      spread = seen.first() ? spread / 2 : Math.max(LEAST_SPREAD, spread * 2);
      spread = Math.min(spread, MOST_SPREAD);
      return seen.first() ? Turn.DONE : Turn.LOST;
    } catch (StoreUnavailableException e) {
      throw e;
    } catch (RuntimeException e) {
      // The others must not wait for it.
      broken.add(name);
      log.warn("The schedule '{}' cannot be seen to; again in a minute.", name, e);
      return Turn.FAILED;
    }
  }

  private long spreadOut() {
    return spread < LEAST_SPREAD ? 0 : ThreadLocalRandom.current().nextLong(spread);
  }

  private long failed(Throwable e) {
    if (isClosed()) {
      log.debug("The scheduler was closed while it worked.", e);
    } else if (failures == 0 && e instanceof SluiceException) {
      log.warn("Schedules cannot be seen to; trying again until they can. {}", e.getMessage());
    } else if (failures == 0) {
      log.warn("Schedules cannot be seen to; trying again until they can.", e);
    }
    failures++;
    return Math.min(LONGEST_BACKOFF, poll << Math.min(failures - 1, 10));
  }

  /** Sleeps, and answers whether it was woken because something has changed. */
  private synchronized boolean sleep(long nanos) {
    long end = System.nanoTime() + nanos;
    try {
      for (long left = nanos; left > 0 && !woken && !closed; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      closed = true;
    }
    boolean changed = woken;
    woken = false;
    return changed;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Something has changed here. */
  synchronized void wake() {
    woken = true;
    notifyAll();
  }

  /** Ends it, and waits for what it is doing right now; others go on. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    onClose.accept(this);
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
      thread.interrupt();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
