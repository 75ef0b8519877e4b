package dev.sluice.cli.exec;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running shell command, in a session of its own, with a watchdog beside it that ends it when
 * this process no longer says that the lease holds. See {@code guard.bash} for the protocol.
 */
final class GuardedCommand implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GuardedCommand.class);
  private static final int RESULT_BYTES = 64 * 1024;
  private static final int ERROR_BYTES = 4 * 1024;
  private static final Duration AWAIT_OUTPUT = Duration.ofSeconds(1);
  private static final Duration AWAIT_DEATH = Duration.ofSeconds(5);
  private static final Duration GROUP_POLL = Duration.ofMillis(50);

  private final Process process;
  private final OutputStream watchdog;
  private final Captured out;
  private final Captured err;
  private boolean terminated;
  private boolean closed;

  private GuardedCommand(Process process) {
    this.process = process;
    this.watchdog = process.getOutputStream();
    this.out = Captured.head(process.getInputStream(), RESULT_BYTES);
    this.err = Captured.tail(process.getErrorStream(), ERROR_BYTES);
  }

  /**
   * What to run.
   *
   * @param task the task's name
   * @param command for {@code sh -c}
   * @param payload for its standard input
   * @param environment further variables, of ASCII text
   * @param withheld variables of this process that the command does not get
   */
  record Order(
      String task,
      String command,
      String payload,
      Map<String, String> environment,
      Set<String> withheld) {}

  static GuardedCommand start(Order order, Supplier<Duration> leaseRemaining) throws IOException {
    long deadline = Guard.moment(leaseRemaining);
    ProcessBuilder builder = new ProcessBuilder(Guard.commandLine());
    builder.environment().keySet().removeAll(order.withheld);
    builder.environment().putAll(order.environment);
    GuardedCommand command = new GuardedCommand(builder.start());
    try {
      command.send(introduction(order, deadline));
      return command;
    } catch (IOException e) {
      command.close();
      throw new IOException(
          "The command could not be started: " + e.getMessage() + " " + command.err.text(), e);
    }
  }

  /**
   * Task, command and payload travel through the pipe as UTF-8 bytes: arguments and environment
   * would be encoded in the locale's character set, which may be ASCII.
   */
  private static byte[] introduction(Order order, long deadline) {
    byte[] task = order.task.getBytes(StandardCharsets.UTF_8);
    byte[] command = order.command.getBytes(StandardCharsets.UTF_8);
    byte[] payload = order.payload.getBytes(StandardCharsets.UTF_8);
    String sizes = "%d %d %d %d\n".formatted(task.length, command.length, payload.length, deadline);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(sizes.getBytes(StandardCharsets.US_ASCII));
    bytes.writeBytes(task);
    bytes.writeBytes(command);
    bytes.writeBytes(payload);
    return bytes.toByteArray();
  }

  /** Waits for the command to exit; false if it has not within this time. */
  boolean awaitExit(Duration atMost) throws InterruptedException {
    return process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Tells the watchdog how long the command may live from now; once its first process has exited,
   * nothing can be told, and the watchdog goes by what it heard last.
   */
  void allow(Supplier<Duration> leaseRemaining) throws IOException {
    byte[] moment = (Guard.moment(leaseRemaining) + "\n").getBytes(StandardCharsets.US_ASCII);
    try {
      send(moment);
    } catch (IOException e) {
      if (process.isAlive()) {
        throw e;
      }
    }
  }

  /** Asks the whole group to end, and has the watchdog leave it in peace for this long. */
  void terminate(Duration grace) throws IOException {
    terminated = true;
    send("term %d\n".formatted(grace.toMillis() / 10).getBytes(StandardCharsets.US_ASCII));
  }

  /** Waits for every process of the group to end; false if one has not within this time. */
  boolean awaitGroupEnd(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    if (!awaitExit(atMost)) {
      return false;
    }
    while (ProcessGroup.isAlive(process.pid())) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(left, GROUP_POLL.toNanos()));
    }
    return true;
  }

  private void send(byte[] bytes) throws IOException {
    watchdog.write(bytes);
    watchdog.flush();
  }

  /** Ends whatever is left of the group, the command included, and collects what it printed. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    boolean unwatched = false;
    try {
      // The end of its input is the watchdog's sign to end the group, though after SIGTERM it
      // waits.
      watchdog.close();
    } catch (IOException e) {
      unwatched = true;
    }
    boolean interrupted = Thread.interrupted();
    try {
      boolean spared = terminated && ProcessGroup.isAlive(process.pid());
      if (unwatched || spared || !awaitExit(AWAIT_OUTPUT)) {
        killGroup();
        if (!awaitGroupEnd(AWAIT_DEATH)) {
          log.warn("The command with process id {} survives SIGKILL.", process.pid());
        }
      }
      out.awaitEnd(AWAIT_OUTPUT);
      err.awaitEnd(AWAIT_OUTPUT);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the watchdog does, for when it is gone or waits. */
  private void killGroup() throws InterruptedException {
    try {
      // "-s KILL", not "-KILL": only so do all shells take the "--" before the group.
      int exitCode =
          new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + process.pid()).start().waitFor();
      if (exitCode != 0 && process.isAlive()) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      log.warn("The group of process {} could not be ended; ending it alone.", process.pid(), e);
      process.destroyForcibly();
    }
  }

  /** The exit code of a command that has exited; 128 and the signal's number if one ended it. */
  int exitCode() {
    return process.exitValue();
  }

  /** Standard output. */
  Captured out() {
    return out;
  }

  /** Standard error. */
  Captured err() {
    return err;
  }
}
