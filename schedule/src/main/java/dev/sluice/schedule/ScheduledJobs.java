package dev.sluice.schedule;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.spi.NewJob;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.UUID;

/** The jobs of schedules. */
final class ScheduledJobs {
  private static final int ONE_AT_A_TIME = 1;

  private ScheduledJobs() {}

  /**
   * The job of an occurrence. However often it is made and submitted, it is one.
   *
   * @param late whether it is submitted so late that it does not count as due since then
   */
  static NewJob of(Schedule schedule, Instant occurrence, boolean late) {
    return job(
        schedule.spec(),
        id(schedule, occurrence),
        late ? Optional.empty() : Optional.of(occurrence));
  }

  /** The id of the job of an occurrence. */
  static UUID id(Schedule schedule, Instant occurrence) {
    return id(occurrence, schedule.incarnation() + " " + occurrence);
  }

  /** A job besides those of the occurrences. */
  static NewJob now(Schedule schedule, Instant now) {
    return job(schedule.spec(), id(now, UUID.randomUUID().toString()), Optional.empty());
  }

  /**
   * An id that sorts by when its job is due, among those of other jobs: milliseconds, and where
   * others have random bits, a hash of what the job is for.
   */
  static UUID id(Instant due, String name) {
    ByteBuffer hash = ByteBuffer.wrap(sha256(name));
    long high = due.toEpochMilli() << 16 | 0x7000L | (hash.getLong() & 0xfffL);
    long low = (hash.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }

  private static NewJob job(ScheduleSpec spec, UUID id, Optional<Instant> runAt) {
    return new NewJob(
        new NewJob.Identity(id, true, Optional.empty()),
        spec.task(),
        new NewJob.Place(spec.queue(), spec.priority()),
        new NewJob.Timing(runAt, Duration.ZERO, spec.timeout()),
        concurrency(spec),
        spec.payload().toString());
  }

  private static NewJob.Concurrency concurrency(ScheduleSpec spec) {
    TreeSet<Group> groups = new TreeSet<>(spec.groups());
    boolean limited = spec.overlap() != Overlap.ALLOW;
    if (limited) {
      groups.add(spec.group());
    }
    groups.remove(Group.of(spec.task()));
    return new NewJob.Concurrency(
        List.copyOf(groups),
        limited ? Optional.of(spec.group()) : Optional.empty(),
        limited ? OptionalInt.of(ONE_AT_A_TIME) : OptionalInt.empty(),
        OnLimit.WAIT);
  }
}
