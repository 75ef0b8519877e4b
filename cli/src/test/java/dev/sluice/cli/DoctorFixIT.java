package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The doctor finds what a killed worker left, and puts it right. */
class DoctorFixIT {
  @TempDir static Path directory;

  static Stream<String> stores() {
    return Stream.of("file:" + directory.resolve("data"), TestStore.url());
  }

  private static String[] with(String store, String... args) {
    return Stream.concat(
            Stream.of("--store", store, "--schema", "cli_fix_" + ProcessHandle.current().pid()),
            Stream.of(args))
        .toArray(String[]::new);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void doctor_workerKilled_findsAndFixesWhatItLeft(String store) throws Exception {
    String task = "task-" + UUID.randomUUID();
    Path started = directory.resolve(task);
    try (Program worker =
        Program.start(
            with(
                store,
                "worker",
                "--exec",
                task + "=touch " + started + "; sleep 60",
                "--lease",
                "1s",
                "--max-concurrent",
                task + "=1"))) {
      String job = Run.of(with(store, "submit", task)).out().strip();
      await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(started));
      assertThat(Run.of(with(store, "doctor")).exitCode()).isZero();
      worker.signal("KILL");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                Run run = Run.of(with(store, "doctor"));
                assertThat(run.exitCode()).isEqualTo(ExitCode.NEGATIVE);
                assertThat(run.out()).contains("BAD  workers", "doctor --fix");
              });
      Run fixed = Run.of(with(store, "doctor", "--fix"));
      assertThat(fixed.exitCode()).as(fixed.out()).isZero();
      assertThat(fixed.out()).contains("Gave up 1 workers", "1 of their jobs are back in line");
      assertThat(Run.of(with(store, "jobs", "show", job)).out()).contains("ready");
      assertThat(Run.of(with(store, "doctor", "--fix")).out()).contains("nothing to fix");
      assertThat(Run.of(with(store, "--json", "doctor", "--fix")).out()).contains("\"fixed\":[]");
    }
  }
}
