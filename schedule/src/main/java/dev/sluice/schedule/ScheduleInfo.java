package dev.sluice.schedule;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * A schedule as it is on record.
 *
 * @param spec what it is to do, its payload as a {@code JsonNode}
 * @param source who has the say: {@code operator}, or who declared it, such as {@code code} or
 *     {@code config}
 * @param paused whether it is paused
 * @param createdAt when it was created, by the store's clock
 * @param next when it is due next; empty = it is paused, or has come to its end
 * @param last what became of the occurrence before, or the job triggered since; empty = neither yet
 */
public record ScheduleInfo(
    ScheduleSpec spec,
    String source,
    boolean paused,
    Instant createdAt,
    Optional<Instant> next,
    Optional<Last> last) {

  /** The name. */
  public String name() {
    return spec.name();
  }

  /**
   * What became of an occurrence.
   *
   * @param occurrence when it was due; of a job triggered by hand, when that was
   * @param at when somebody saw to it, by the store's clock
   * @param outcome what became of it
   * @param job its job; if it was skipped or refused, that of the latest one before that got one
   * @param message why it was skipped or refused, or that it was triggered by hand
   */
  public record Last(
      Instant occurrence,
      Instant at,
      Outcome outcome,
      Optional<UUID> job,
      Optional<String> message) {}

  /** What may become of an occurrence. */
  public enum Outcome {
    /** Its job was submitted. */
    SUBMITTED,
    /** It was left out, because of {@link Overlap#SKIP} or {@link Misfire#SKIP}. */
    SKIPPED,
    /** The store refused its job; the message says why. */
    REFUSED;

    /** As it is written in JSON. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
