package dev.sluice.internal;

import dev.sluice.JobContext;
import dev.sluice.Submission;
import dev.sluice.spi.Tracing;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracing that cannot harm a job: what it throws although it must not is logged once and otherwise
 * ignored.
 */
public final class GuardedTracing implements Tracing {
  private static final Logger log = LoggerFactory.getLogger(GuardedTracing.class);

  /** What a store keeps of a trace at most; half a trace would lead nowhere. */
  private static final int LONGEST_TRACE = 1_000;

  private final Tracing tracing;
  private final AtomicBoolean logged = new AtomicBoolean();

  private GuardedTracing(Tracing tracing) {
    this.tracing = tracing;
  }

  /** The same, guarded; {@link Tracing#NONE} stays itself. */
  public static Tracing guarding(Tracing tracing) {
    return tracing == NONE ? NONE : new GuardedTracing(tracing);
  }

  @Override
  public Submitting submitting(String task, String queue) {
    Submitting submitting =
        guard(() -> tracing.submitting(task, queue), NONE.submitting(task, queue));
    return new Submitting() {
      @Override
      public Optional<String> trace() {
        return guard(() -> submitting.trace(), Optional.<String>empty())
            .filter(trace -> trace.length() <= LONGEST_TRACE);
      }

      @Override
      public void answered(Submission submission) {
        guard(() -> submitting.answered(submission));
      }

      @Override
      public void failed(Throwable failure) {
        guard(() -> submitting.failed(failure));
      }
    };
  }

  @Override
  public Running running(JobContext job, Optional<String> trace) {
    Running running = guard(() -> tracing.running(job, trace), NONE.running(job, trace));
    return (verdict, failure) -> guard(() -> running.ended(verdict, failure));
  }

  private void guard(Runnable action) {
    guard(
        () -> {
          action.run();
          return true;
        },
        false);
  }

  private <T> T guard(Supplier<T> action, T otherwise) {
    try {
      return action.get();
    } catch (Throwable e) {
      // Errors too: a tracer's failed assertion must not cost a worker its thread and a slot.
      if (logged.compareAndSet(false, true)) {
        log.warn("Tracing by {} fails; jobs go on without it.", tracing, e);
      }
      return otherwise;
    }
  }
}
