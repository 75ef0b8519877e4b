package dev.sluice.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A short-lived program, run to its end. */
record Command(List<String> words) {

  /** What a program that ended left behind: its exit status and all it printed. */
  record Outcome(int status, String output) {
    boolean succeeded() {
      return status == 0;
    }
  }

  static Command of(String... words) {
    return new Command(List.of(words));
  }

  /** The same program, started through the words of {@code prefix}. */
  Command through(List<String> prefix) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(words);
    return new Command(List.copyOf(all));
  }

  /**
   * Runs the program and waits for its end.
   *
   * @throws IllegalStateException if the program is not installed, or the thread is interrupted
   */
  Outcome run() {
    Process process = null;
    try {
      process = new ProcessBuilder(words).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return new Outcome(process.waitFor(), output);
    } catch (IOException e) {
      if (process == null) {
        throw missing(words.get(0), e);
      }
      throw new UncheckedIOException("Reading the output of " + words.get(0) + " failed", e);
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while " + words.get(0) + " ran", e);
    }
  }

  /** Runs the program, and throws what it printed if it fails. */
  void runOrThrow(String purpose) {
    Outcome outcome = run();
    if (!outcome.succeeded()) {
      throw new IllegalStateException(
          "%s failed: %s ended with status %d:%n%s"
              .formatted(purpose, words.get(0), outcome.status(), outcome.output()));
    }
  }

  static IllegalStateException missing(String program, IOException cause) {
    return new IllegalStateException(
        "The embedded PostgreSQL could not run '"
            + program
            + "'. It needs a POSIX shell, mkfifo (coreutils) and flock, setpriv, setsid"
            + " (util-linux 2.33 or newer). Install them, or name a server of your own with a"
            + " postgresql:// URL.",
        cause);
  }
}
