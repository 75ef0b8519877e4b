package dev.sluice.cli.exec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Handler;
import dev.sluice.JobContext;
import dev.sluice.RetryableException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Runs a shell command as the handler of a task: the payload is its standard input, what it prints
 * is the result, and an exit code other than zero fails the attempt.
 */
public final class ShellHandler implements Handler.Returning<JsonNode, String> {
  /** How long a command may take to end after SIGTERM before it is killed. */
  static final Duration TERMINATION_GRACE = Duration.ofSeconds(3);

  private static final Duration LONGEST_BEAT = Duration.ofMillis(500);
  private static final int BEATS_PER_LEASE = 10;
  private static final int SIGNALLED = 128;
  private static final int SIGKILL = 9;

  /** Of standard error in the message of a failure, of which the first 1,000 are kept on record. */
  private static final int MESSAGE_LENGTH = 900;

  private static final Duration CLOCK_STEPS = Duration.ofMillis(50);

  private final String command;
  private final Set<String> withheld;
  private final Duration beat;

  /**
   * A handler.
   *
   * @param command for {@code sh -c}
   * @param lease the worker's lease
   * @param withheld environment variables of this process that the command does not get, because
   *     they hold secrets
   * @throws MissingToolException if this machine lacks what is needed to guard commands
   */
  public ShellHandler(String command, Duration lease, Set<String> withheld) {
    Guard.requireTools();
    Duration tenth = lease.dividedBy(BEATS_PER_LEASE);
    this.command = command;
    this.withheld = Set.copyOf(withheld);
    this.beat = tenth.compareTo(LONGEST_BEAT) < 0 ? tenth : LONGEST_BEAT;
  }

  @Override
  public String handle(JsonNode payload, JobContext context) throws Exception {
    context.throwIfCancelled();
    GuardedCommand running =
        GuardedCommand.start(
            new GuardedCommand.Order(
                context.task(),
                command,
                payload.toString(),
                Map.of(
                    "SLUICE_JOB_ID", context.jobId().toString(),
                    "SLUICE_ATTEMPT", String.valueOf(context.attempt()),
                    "SLUICE_FENCING_TOKEN", String.valueOf(context.fencingToken())),
                withheld),
            context::leaseRemaining);
    try (running) {
      await(running, context);
    }
    if (running.exitCode() == SIGNALLED + SIGKILL
        && context.leaseRemaining().compareTo(CLOCK_STEPS) < 0) {
      // The watchdog was quicker: its clock goes in steps, and it acts at the step before the end.
      Thread.sleep(CLOCK_STEPS.toMillis());
      context.throwIfCancelled();
    }
    return result(running);
  }

  private void await(GuardedCommand running, JobContext context) throws InterruptedException {
    try {
      while (!running.awaitExit(beat)) {
        context.throwIfCancelled();
        running.allow(context::leaseRemaining);
      }
    } catch (InterruptedException e) {
      terminate(running, context);
      throw e;
    } catch (IOException e) {
      // Close kills the command: one that nobody watches might outlive the lease.
      if (!running.awaitExit(Duration.ZERO)) {
        throw new RetryableException(
            "The command was ended because its watchdog is gone: " + e.getMessage(), e);
      }
    }
  }

  /** Lets the command end in order, for as long as the lease is sure to hold. */
  private void terminate(GuardedCommand running, JobContext context) throws InterruptedException {
    long end = System.nanoTime() + TERMINATION_GRACE.toNanos();
    try {
      running.terminate(TERMINATION_GRACE);
      while (System.nanoTime() - end < 0 && !running.awaitGroupEnd(beat)) {
        Duration left = context.leaseRemaining();
        if (left.isZero() || left.isNegative()) {
          return;
        }
        running.allow(context::leaseRemaining);
      }
    } catch (IOException e) {
      // The watchdog is gone; close ends the group without it.
    }
  }

  private static String result(GuardedCommand ended) {
    int exitCode = ended.exitCode();
    if (exitCode != 0) {
      String said = endOf(ended.err());
      throw new RetryableException(
          (exitCode > SIGNALLED
                  ? "The command was ended by signal " + (exitCode - SIGNALLED)
                  : "The command ended with exit code " + exitCode)
              + (said.isEmpty() ? "." : ": " + said));
    }
    Captured out = ended.out();
    return out.truncated()
        ? "%s… (cut: %,d bytes were printed)".formatted(out.text(), out.total())
        : out.text();
  }

  private static String endOf(Captured err) {
    String text = err.text();
    int start = Math.max(0, text.length() - MESSAGE_LENGTH);
    if (start > 0 && Character.isLowSurrogate(text.charAt(start))) {
      start++;
    }
    return (start > 0 || err.truncated() ? "…" : "") + text.substring(start);
  }
}
