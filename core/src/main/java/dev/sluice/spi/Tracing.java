package dev.sluice.spi;

import dev.sluice.JobContext;
import dev.sluice.Submission;
import java.util.Optional;

/**
 * Follows jobs from the program that submits them to the worker that runs them; implemented on
 * OpenTelemetry by {@code sluice-tracing}. What it carries along is text that only it understands.
 * Thread-safe; must throw nothing.
 */
public interface Tracing {
  /** Follows nothing. */
  Tracing NONE =
      new Tracing() {
        @Override
        public Submitting submitting(String task, String queue) {
          return new Submitting() {};
        }

        @Override
        public Running running(JobContext job, Optional<String> trace) {
          return (verdict, failure) -> {};
        }
      };

  /** A job is about to be submitted, by this thread. */
  Submitting submitting(String task, String queue);

  /** A handler is about to run a job, on this thread; {@code trace} came along with it. */
  Running running(JobContext job, Optional<String> trace);

  /** A submit under way. */
  interface Submitting {
    /** What to carry along with the job: up to 1,000 characters. */
    default Optional<String> trace() {
      return Optional.empty();
    }

    /** The store has answered; called on the thread that submits. */
    default void answered(Submission submission) {}

    /** The store could not be told, or refused. */
    default void failed(Throwable failure) {}
  }

  /** A run under way. */
  @FunctionalInterface
  interface Running {
    /**
     * The handler has returned, on the thread that ran it.
     *
     * @param verdict what became of the attempt, in a word: succeeded, failed, retried, cancelled,
     *     snoozed, handed_back
     * @param failure what it threw; null if nothing
     */
    void ended(String verdict, Throwable failure);
  }
}
