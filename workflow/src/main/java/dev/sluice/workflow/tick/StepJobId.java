package dev.sluice.workflow.tick;

import java.util.Optional;
import java.util.UUID;

/**
 * The id of a job that belongs to a run: which run, which step, which attempt, which element. It
 * can be told from any other id and read back, so whoever sees a job end knows whose tick that is,
 * and whoever starts a step twice submits the same job twice, which is one.
 *
 * <pre>
 *   run   tttttttttttttttt-8ccc-8000-000000000000   t: milliseconds, c: a number that tells runs apart
 *   job   tttttttttttttttt-8ccc-[10|kk|step:16|attempt:12 |item:32]
 * </pre>
 *
 * Both are UUIDs of version 8, whose content is free, and sort by when the run was created. That no
 * two runs have the same id is for the store to see to, which creates one of two.
 *
 * @param run the run
 * @param kind what the job is for
 * @param step the number of the step
 * @param attempt which attempt at it; 1 = the first
 * @param item which element; 0 if it is not a step over a list
 */
public record StepJobId(UUID run, Kind kind, int step, int attempt, int item) {
  /** The largest number of an attempt. */
  public static final int MOST_ATTEMPTS = 0xfff;

  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long VERSION = 0x8000L;

  /** What a job is for. */
  public enum Kind {
    /** The step itself. */
    STEP,
    /** One element of a step over a list. */
    ITEM,
    /** Its end is the end of a wait. */
    TIMER,
    /** Undoes the step. */
    COMPENSATION
  }

  /** Checks that the numbers fit. */
  public StepJobId {
    if (step < 0 || step > 0xffff || attempt < 1 || attempt > MOST_ATTEMPTS || item < 0) {
      throw new IllegalArgumentException(
          "No id for step %d, attempt %d, item %d".formatted(step, attempt, item));
    }
  }

  /** The id as the store knows it. */
  public UUID id() {
    long low =
        VARIANT | (long) kind.ordinal() << 60 | (long) step << 44 | (long) attempt << 32 | item;
    return new UUID(run.getMostSignificantBits(), low);
  }

  /** The id of a run made of 48 bits of milliseconds and a number below 4,096. */
  public static UUID run(long millis, int number) {
    return new UUID(millis << 16 | VERSION | (number & 0xfff), VARIANT);
  }

  /** Whether a run could have this id. */
  public static boolean isRun(UUID id) {
    return id.version() == 8 && id.getLeastSignificantBits() == VARIANT;
  }

  /** What this id says, if it is that of a job of a run. */
  public static Optional<StepJobId> parse(UUID id) {
    long low = id.getLeastSignificantBits();
    int attempt = (int) (low >>> 32) & 0xfff;
    if (id.version() != 8 || id.variant() != 2 || attempt == 0 || (int) low < 0) {
      return Optional.empty();
    }
    return Optional.of(
        new StepJobId(
            new UUID(id.getMostSignificantBits(), VARIANT),
            Kind.values()[(int) (low >>> 60) & 3],
            (int) (low >>> 44) & 0xffff,
            attempt,
            (int) low));
  }
}
