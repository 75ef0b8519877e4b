package dev.sluice.example.media;

import dev.sluice.PermanentFailure;
import dev.sluice.RetryableException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs a program to its end. What it prints is read as it comes, so that it never waits for us, and
 * its last lines are what a failure is reported with.
 *
 * <p>A handler is told to stop by an interrupt: its job was cancelled, ran out of time, or lost its
 * lease. Then the program is killed with all its children, and the interrupt goes on when they are
 * dead: nobody is given the permit before. They are not asked to end in order, for what they have
 * written is thrown away.
 */
final class Program {
  private static final int KEPT_LINES = 12;
  private static final int KEPT_CHARACTERS = 800;
  private static final long OUTPUT_MILLIS = 1_000;

  private final Process process;
  private final Deque<String> lastLines = new ArrayDeque<>();
  private final Thread reader;

  private Program(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "output-of-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Says which of these programs are not on the path. */
  static List<String> missing(String... programs) {
    return Stream.of(programs).filter(program -> !isOnPath(program)).toList();
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  /**
   * Runs it in a directory.
   *
   * @throws RetryableException if it ends with an exit code that is not zero
   * @throws PermanentFailure if there is no such program here
   */
  static void run(Path directory, List<String> command) throws IOException, InterruptedException {
    Program program = new Program(start(directory, command));
    try {
      int exitCode = program.process.waitFor();
      if (exitCode != 0) {
        program.reader.join(OUTPUT_MILLIS); // a child that outlived it may still hold the pipe
        throw new RetryableException(
            "%s ended with exit code %d. Its last words: %s"
                .formatted(command.get(0), exitCode, program.lastWords()));
      }
    } finally {
      program.kill();
    }
  }

  private static Process start(Path directory, List<String> command) throws IOException {
    if (!isOnPath(command.get(0))) {
      throw new PermanentFailure(
          "%s is not installed here. On Debian: apt-get install ffmpeg yt-dlp"
              .formatted(command.get(0)));
    }
    return new ProcessBuilder(command)
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectInput(Redirect.from(new File("/dev/null")))
        .start();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      lines.lines().forEach(this::keep);
    } catch (IOException | UncheckedIOException e) {
      keep("(its output broke off: " + e.getMessage() + ")");
    }
  }

  private synchronized void keep(String line) {
    lastLines.add(line);
    if (lastLines.size() > KEPT_LINES) {
      lastLines.remove();
    }
  }

  private synchronized String lastWords() {
    String words = String.join("\n", lastLines).strip();
    return words.isEmpty()
        ? "(none)"
        : words.substring(Math.max(0, words.length() - KEPT_CHARACTERS));
  }

  /** Nothing to do if it has ended. */
  private void kill() {
    if (!process.isAlive()) {
      return;
    }
    // Noted first: when their parent is gone, nobody knows whose children they were.
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    process.onExit().join();
    children.forEach(child -> child.onExit().join());
  }
}
