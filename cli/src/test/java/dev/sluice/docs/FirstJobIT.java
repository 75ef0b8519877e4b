package dev.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the first guide is compiled as it stands there, and keeps to its limit. */
class FirstJobIT {
  private static final Pattern PROGRAM =
      Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern LINE =
      Pattern.compile("^(\\S+) rendering report (\\d+)$", Pattern.MULTILINE);
  private static final int PROCESSES = 2;
  private static final int JOBS_EACH = 20;
  private static final Duration WORK = Duration.ofMillis(150);

  @TempDir private Path directory;

  @Test
  void programOfTheGuide_startedTwice_rendersTwoAtATime() throws Exception {
    String guide = Files.readString(DocsTest.ROOT.resolve("docs/first-job.md"));
    Matcher program = PROGRAM.matcher(guide);
    assertThat(program.find()).isTrue();
    String source = program.group(1);
    assertThat(source).contains("Thread.sleep(2_000)");
    compile(source.replace("Thread.sleep(2_000)", "Thread.sleep(" + WORK.toMillis() + ")"));

    List<Process> processes = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(start(i));
      }
      for (Process process : processes) {
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }

    List<LocalTime> starts = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      Matcher line = LINE.matcher(Files.readString(output(i)));
      while (line.find()) {
        starts.add(LocalTime.parse(line.group(1)));
      }
      assertThat(processes.get(i).exitValue()).as(Files.readString(output(i))).isZero();
    }
    starts.sort(null);
    assertThat(starts).hasSize(PROCESSES * JOBS_EACH);
    for (int i = 2; i < starts.size(); i++) {
      // The third of any three in a row can have begun only after the first had ended.
      assertThat(Duration.between(starts.get(i - 2), starts.get(i)))
          .isGreaterThanOrEqualTo(WORK.minusMillis(1));
    }
  }

  private void compile(String source) throws IOException {
    Path file = Files.writeString(directory.resolve("FirstJob.java"), source);
    int exit =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                file.toString());
    assertThat(exit).isZero();
  }

  private Process start(int number) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = directory + ":" + System.getProperty("java.class.path");
    return new ProcessBuilder(java, "-cp", classPath, "FirstJob")
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(output(number).toFile())
        .start();
  }

  private Path output(int number) {
    return directory.resolve("output-" + number + ".txt");
  }
}
