package dev.sluice.internal;

import dev.sluice.internal.Attempt.Stop;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Retry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * The log lines about attempts that failed, under the logger {@value #LOGGER}, and the MDC that
 * surrounds a handler, so that its own log lines name their job. The threads of handlers belong to
 * the worker; so what a handler leaves in the MDC is cleared with the rest of it.
 */
final class AttemptLog {
  static final String LOGGER = "dev.sluice.job";

  /** The keys of the MDC. */
  static final String JOB = "sluice.job";

  static final String TASK = "sluice.task";
  static final String ATTEMPT = "sluice.attempt";
  static final String WORKER = "sluice.worker";

  private static final Logger log = LoggerFactory.getLogger(LOGGER);

  private AttemptLog() {}

  /** Names the attempt in the MDC of this thread. */
  static void enter(Attempt attempt) {
    MDC.put(JOB, attempt.jobId().toString());
    MDC.put(TASK, attempt.task());
    MDC.put(ATTEMPT, Integer.toString(attempt.attempt()));
    MDC.put(WORKER, attempt.tenure().workerName());
  }

  /** Clears the MDC of this thread. */
  static void leave() {
    MDC.clear();
  }

  /** Logs an attempt that failed; one that ended otherwise is no news. */
  static void ended(Attempt attempt, Ending ending) {
    if (attempt.stopped() == Stop.LEASE_LOST) {
      // Its outcome is dropped: whether the job has failed is for its next worker to say.
      return;
    }
    if (ending.verdict() instanceof Retry retry) {
      log.warn(
          "{} failed in worker {}; the job is tried again in {}.",
          sentence(attempt),
          attempt.tenure().worker(),
          Durations.format(retry.delay()),
          ending.failure());
    } else if (ending.verdict() instanceof Failed) {
      log.error(
          "{} failed in worker {}; the job has failed for good.",
          sentence(attempt),
          attempt.tenure().worker(),
          ending.failure());
    }
  }

  /** Logs an attempt that failed without its handler having been called. */
  static void endedUnstarted(Attempt attempt, Ending ending) {
    enter(attempt);
    try {
      ended(attempt, ending);
    } finally {
      leave();
    }
  }

  private static String sentence(Attempt attempt) {
    String text = attempt.toString();
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
