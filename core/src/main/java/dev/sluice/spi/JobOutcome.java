package dev.sluice.spi;

import dev.sluice.Group;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * How an attempt ended.
 *
 * @param id the job
 * @param token the token of the claim; with any other the outcome is refused
 * @param verdict what became of it
 * @param ran how long the handler ran; zero if it never started
 */
public record JobOutcome(UUID id, long token, Verdict verdict, Duration ran) {
  /** What became of an attempt. */
  public sealed interface Verdict {}

  /** It succeeded; the result as JSON, if there is one. */
  public record Succeeded(Optional<String> result) implements Verdict {}

  /** It failed, and no other attempt follows. */
  public record Failed(Failure failure) implements Verdict {}

  /** It failed and is tried again after the delay. */
  public record Retry(Failure failure, Duration delay) implements Verdict {}

  /** It ended because it was cancelled. */
  public record Cancelled() implements Verdict {}

  /** Put off at its own wish; the attempt does not count. */
  public record Snoozed(Duration delay) implements Verdict {}

  /**
   * Handed back unfinished, or never started; it is ready at once, in its old place in line, and
   * the attempt does not count.
   */
  public record HandedBack() implements Verdict {}

  /**
   * Not started: it stood in other groups than its task declares for its payload. It is in these
   * from now on, besides its task's own, and on record as filed anew; else as {@link HandedBack}. A
   * submit-side limit that it brought along for a group it has left is dropped.
   *
   * @param groups in canonical order, at most four
   */
  public record Refiled(List<Group> groups) implements Verdict {}

  /** What a handler threw, bounded. */
  public record Failure(String type, String message, String stackTrace) {}
}
