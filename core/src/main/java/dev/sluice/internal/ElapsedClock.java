package dev.sluice.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much time has passed, the time in which the machine was suspended included. Thread-safe.
 *
 * <p>{@link System#nanoTime} stands still while a machine is suspended, and leases do not: a store
 * on another machine goes on counting. The kernel's time since boot goes on too. {@link #look}
 * compares the two, and what the monotonic clock has missed is added to it from then on. It never
 * goes back. A look costs some microseconds, so {@link #nanos} takes none: it knows of a suspension
 * what the last look found. Each {@link LeaseWatchdog} looks forty times a second.
 *
 * <p>The time since boot is read from {@code /proc/uptime}, in hundredths of a second. Differences
 * below {@value #NOTICEABLE_MS} ms are none. Where there is no such file (other systems than
 * Linux), a suspension goes unnoticed here, and {@link ClockJumps} sees the wall clock jump.
 */
final class ElapsedClock {
  private static final Logger log = LoggerFactory.getLogger(ElapsedClock.class);

  /** What a source answers that cannot tell. */
  static final long UNKNOWN = -1;

  static final long NOTICEABLE_MS = 100;

  /** A pause between two readings looks like a suspension; readings further apart do not count. */
  private static final long LONGEST_READING_MS = 20;

  private static final int MOST_TRIES = 100;

  /** The clocks of this machine. */
  static final ElapsedClock SYSTEM =
      new ElapsedClock(System::nanoTime, Uptime.open(), System::currentTimeMillis);

  private final LongSupplier monotonic;
  private final LongSupplier bootMillis;
  private final LongSupplier wallMillis;

  /** By how much the time since boot was ahead of the monotonic clock at first. */
  private final long ahead;

  private volatile long suspended;

  /**
   * A clock on these sources.
   *
   * @param monotonic nanoseconds; stands still while the machine is suspended
   * @param bootMillis milliseconds since boot, with suspensions; {@link #UNKNOWN} if it cannot be
   *     told
   * @param wallMillis milliseconds of the wall clock, which may be set
   */
  ElapsedClock(LongSupplier monotonic, LongSupplier bootMillis, LongSupplier wallMillis) {
    this.monotonic = monotonic;
    this.bootMillis = bootMillis;
    this.wallMillis = wallMillis;
    this.ahead = firstDifference();
  }

  private long firstDifference() {
    for (int tries = 1; ; tries++) {
      long before = monotonic.getAsLong();
      long boot = bootMillis.getAsLong();
      long after = monotonic.getAsLong();
      if (after - before <= LONGEST_READING_MS * 1_000_000 || tries == MOST_TRIES) {
        return boot * 1_000_000 - after;
      }
    }
  }

  /** Nanoseconds, from an arbitrary moment, as of the last look. */
  long nanos() {
    return monotonic.getAsLong() + suspended;
  }

  long wallMillis() {
    return wallMillis.getAsLong();
  }

  /** For how long the machine was suspended in all, in nanoseconds, as of the last look. */
  long suspendedNanos() {
    return suspended;
  }

  /** Looks whether the machine was suspended. */
  void look() {
    long before = monotonic.getAsLong();
    long boot = bootMillis.getAsLong();
    long after = monotonic.getAsLong();
    if (boot == UNKNOWN || after - before > LONGEST_READING_MS * 1_000_000) {
      return;
    }
    long missed = boot * 1_000_000 - after - ahead;
    if (missed - suspended > NOTICEABLE_MS * 1_000_000) {
      notice(missed);
    }
  }

  private synchronized void notice(long missed) {
    if (missed > suspended) {
      log.info(
          "This machine was suspended for {} s; leases went on meanwhile.",
          TimeUnit.NANOSECONDS.toMillis(missed - suspended) / 1e3);
      suspended = missed;
    }
  }

  /** Reads {@code /proc/uptime}, over and over from one open file. */
  private static final class Uptime implements LongSupplier {
    private final RandomAccessFile file;
    private final byte[] buffer = new byte[64];

    private Uptime(RandomAccessFile file) {
      this.file = file;
    }

    static LongSupplier open() {
      try {
        Uptime uptime = new Uptime(new RandomAccessFile("/proc/uptime", "r"));
        return uptime.getAsLong() == UNKNOWN ? () -> UNKNOWN : uptime;
      } catch (IOException e) {
        return () -> UNKNOWN;
      }
    }

    @Override
    public synchronized long getAsLong() {
      try {
        file.seek(0);
        int length = file.read(buffer);
        String text = new String(buffer, 0, Math.max(0, length), StandardCharsets.US_ASCII);
        // "SECONDS.HUNDREDTHS IDLE"
        return Long.parseLong(text.substring(0, text.indexOf(' ')).replace(".", "")) * 10;
      } catch (IOException | RuntimeException e) {
        return UNKNOWN;
      }
    }
  }
}
