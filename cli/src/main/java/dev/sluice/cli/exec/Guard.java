package dev.sluice.cli.exec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The script that runs and watches a command, the clock it goes by, and what it needs to be there.
 */
final class Guard {
  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final List<String> TOOLS = List.of("bash", "setsid", "head", "sleep");
  private static final String SCRIPT = script();

  private Guard() {}

  /** The command line of a guarded command; the rest is told on its standard input. */
  static List<String> commandLine() {
    return List.of("setsid", "bash", "-c", SCRIPT, "sluice-guard");
  }

  /** The moment until which the lease holds, in hundredths of a second of the shared clock. */
  static long moment(Supplier<Duration> leaseRemaining) throws IOException {
    // The clock first: if this process is frozen between the two, the moment is too early, not too
    // late.
    String uptime = Files.readString(UPTIME);
    String seconds = uptime.substring(0, uptime.indexOf(' '));
    return Long.parseLong(seconds.replace(".", "")) + leaseRemaining.get().toMillis() / 10;
  }

  /**
   * Checks that this machine can guard commands.
   *
   * @throws MissingToolException if it cannot; the message says what to install
   */
  static void requireTools() {
    List<String> missing = new ArrayList<>();
    for (String tool : TOOLS) {
      if (!isOnPath(tool)) {
        missing.add(tool);
      }
    }
    if (!missing.isEmpty()) {
      throw new MissingToolException(
          "Commands are guarded with bash, setsid, head and sleep, and %s cannot be found on the PATH. Install %s (packages bash, util-linux, coreutils)."
              .formatted(String.join(", ", missing), missing.size() == 1 ? "it" : "them"));
    } else if (!Files.isReadable(UPTIME)) {
      throw new MissingToolException(
          "Commands are guarded by the clock of /proc/uptime, which this system lacks; --exec works on Linux only.");
    }
  }

  private static boolean isOnPath(String tool) {
    String path = System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
    for (String directory : path.split(":")) {
      if (Files.isExecutable(Path.of(directory.isEmpty() ? "." : directory, tool))) {
        return true;
      }
    }
    return false;
  }

  private static String script() {
    try (InputStream in = Guard.class.getResourceAsStream("guard.bash")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
