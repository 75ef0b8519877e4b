package dev.sluice.internal;

import dev.sluice.Group;
import dev.sluice.JobTimeoutException;
import dev.sluice.PermanentFailure;
import dev.sluice.RetryPolicy;
import dev.sluice.RetryableException;
import dev.sluice.Snooze;
import dev.sluice.internal.Attempt.Stop;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.HandedBack;
import dev.sluice.spi.JobOutcome.Refiled;
import dev.sluice.spi.JobOutcome.Retry;
import dev.sluice.spi.JobOutcome.Snoozed;
import dev.sluice.spi.JobOutcome.Succeeded;
import dev.sluice.spi.JobOutcome.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of an attempt, given how its handler ended.
 *
 * @param verdict what the store is told
 * @param failure what the handler threw, for listeners; null unless the attempt failed
 */
record Ending(Verdict verdict, Throwable failure) {
  private static final Logger log = LoggerFactory.getLogger(Ending.class);

  /** A job is put off no further than this; a longer delay is cut, and the log says so. */
  static final Duration LONGEST_DELAY = Duration.ofDays(365);

  static final Ending HANDED_BACK = new Ending(new HandedBack(), null);
  static final Ending CANCELLED = new Ending(new Cancelled(), null);

  /** The workers that ran the job before died with it, each time: it is not tried once more. */
  static Ending givenUp(int attempt, int maxAttempts) {
    return failed(
        new PermanentFailure(
            "All %d attempts have been used up by workers that died or lost their lease while they ran it; attempt %d was not started."
                .formatted(maxAttempts, attempt)));
  }

  /** It was not started, because it stands in the wrong groups. */
  static Ending refiled(List<Group> groups) {
    return new Ending(new Refiled(groups), null);
  }

  /**
   * The handler returned. That is success even if it was asked to stop meanwhile, unless its time
   * was up.
   */
  static Ending returned(
      Attempt attempt, String result, RetryPolicy policy, DoubleSupplier random) {
    return attempt.stopped() == Stop.TIMED_OUT
        ? threw(attempt, null, policy, random)
        : new Ending(new Succeeded(Optional.ofNullable(result)), null);
  }

  /** The handler threw something, or never started because it was asked to stop before. */
  static Ending threw(
      Attempt attempt, Throwable thrown, RetryPolicy policy, DoubleSupplier random) {
    if (attempt.stopped() == Stop.CANCELLED) {
      return CANCELLED;
    }
    if (thrown instanceof PermanentFailure) {
      return failed(thrown);
    }
    if (thrown instanceof Snooze snooze && attempt.stopped() != Stop.TIMED_OUT) {
      return new Ending(new Snoozed(bounded(attempt, snooze.delay())), null);
    }
    if (attempt.stopped() == Stop.HANDED_BACK || attempt.stopped() == Stop.LEASE_LOST) {
      return HANDED_BACK;
    }
    Throwable failure =
        attempt.stopped() == Stop.TIMED_OUT
            ? new JobTimeoutException(attempt.job().run().timeout().orElseThrow(), thrown)
            : thrown;
    if (!policy.allowsAnotherAfter(attempt.attempt())) {
      return failed(failure);
    }
    Duration delay =
        (failure instanceof RetryableException retryable
                ? retryable.after()
                : Optional.<Duration>empty())
            .filter(after -> !after.isNegative())
            .orElseGet(() -> policy.delayAfter(attempt.attempt(), random));
    return new Ending(new Retry(BoundedText.failure(failure), bounded(attempt, delay)), failure);
  }

  /** A store cannot count to the end of all time, and a delay may come from a foreign server. */
  private static Duration bounded(Attempt attempt, Duration delay) {
    if (delay.compareTo(LONGEST_DELAY) <= 0) {
      return delay;
    }
    log.warn(
        "{} asks for a delay of {}; the job is tried again after {}, the longest there is.",
        attempt,
        Durations.format(delay),
        Durations.format(LONGEST_DELAY));
    return LONGEST_DELAY;
  }

  /** The verdict in a word. */
  String word() {
    if (verdict instanceof Succeeded) {
      return "succeeded";
    } else if (verdict instanceof Failed) {
      return "failed";
    } else if (verdict instanceof Retry) {
      return "retried";
    } else if (verdict instanceof Cancelled) {
      return "cancelled";
    }
    return verdict instanceof Snoozed
        ? "snoozed"
        : verdict instanceof Refiled ? "refiled" : "handed_back";
  }

  /** It failed, and no other attempt follows. */
  static Ending failed(Throwable failure) {
    return new Ending(new Failed(BoundedText.failure(failure)), failure);
  }
}
