package dev.sluice.schedule;

import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A process that does nothing but see to schedules, to be killed. */
public final class SchedulerProcess {
  private SchedulerProcess() {}

  static Process start(String url, String schema) throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SchedulerProcess.class.getName(),
                url,
                schema))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Runs until standard input ends. */
  public static void main(String[] arguments) throws IOException {
    try (Sluice sluice = Sluice.open(SluiceOptions.url(arguments[0]).schema(arguments[1]));
        Scheduler scheduler = Schedules.on(sluice).start(Duration.ofMillis(50))) {
      while (System.in.read() >= 0) {
        scheduler.wake();
      }
    }
  }
}
