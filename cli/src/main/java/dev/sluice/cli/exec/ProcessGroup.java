package dev.sluice.cli.exec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Process groups, as {@code /proc} shows them. */
final class ProcessGroup {
  private static final Path PROC = Path.of("/proc");

  private ProcessGroup() {}

  /**
   * Whether a process of the group runs. Those that have ended and wait for their parent do not
   * count, as they would for {@code kill -0}: in a container without an init they may wait for
   * ever.
   */
  static boolean isAlive(long group) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        if (runsIn(process, group)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean runsIn(Path process, long group) {
    try {
      // "PID (NAME) STATE PARENT GROUP ...", and the name may hold anything, parentheses too.
      String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 4);
      return Long.parseLong(fields[2]) == group && !fields[0].equals("Z") && !fields[0].equals("X");
    } catch (IOException e) {
      // It has ended in between.
      return false;
    }
  }
}
