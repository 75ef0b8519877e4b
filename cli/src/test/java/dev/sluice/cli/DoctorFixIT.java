package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.cli.config.Surroundings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
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

  /** The job that the killed worker leaves is due for as long as the test takes. */
  private static final Surroundings PATIENT = patient();

  private static Surroundings patient() {
    Path nowhere = Path.of("target", "nowhere").toAbsolutePath();
    return new Surroundings(Map.of("SLUICE_ALERTS_UNSERVED_SECS", "600"), nowhere, nowhere);
  }

  private static Run run(String... args) {
    return Run.in(PATIENT, args);
  }

  private static String[] with(String store, String... args) {
    return Stream.concat(
            Stream.of("--store", store, "--schema", "cli_fix_" + ProcessHandle.current().pid()),
            Stream.of(args))
        .toArray(String[]::new);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void doctor_tokenFloor_isRaisedOnlyWithFix(String store) {
    assertThat(run(with(store, "submit", "task-" + UUID.randomUUID())).exitCode()).isZero();
    Run refused = run(with(store, "doctor", "--token-floor", "1000000"));
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.err()).contains("--fix");
    assertThat(run(with(store, "doctor", "--fix", "--token-floor", "1000000")).out())
        .contains("Every fencing token from now on is above 1,000,000.");
    assertThat(run(with(store, "doctor", "--fix", "--token-floor", "-1")).err())
        .contains("use zero or more");
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
                "5s",
                "--attempts",
                "1000",
                "--max-concurrent",
                task + "=1"))) {
      String job = run(with(store, "submit", task)).out().strip();
      await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(started));
      assertThat(run(with(store, "doctor")).exitCode()).isZero();
      worker.signal("KILL");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                Run run = run(with(store, "doctor"));
                assertThat(run.exitCode()).isEqualTo(ExitCode.NEGATIVE);
                assertThat(run.out()).contains("BAD  workers", "doctor --fix");
              });
      Run fixed = run(with(store, "doctor", "--fix"));
      assertThat(fixed.exitCode()).as(fixed.out()).isZero();
      assertThat(fixed.out()).contains("Gave up 1 workers", "1 of their jobs are back in line");
      assertThat(run(with(store, "jobs", "show", job)).out()).contains("ready");
      assertThat(run(with(store, "doctor", "--fix")).out()).contains("nothing to fix");
      assertThat(run(with(store, "--json", "doctor", "--fix")).out()).contains("\"fixed\":[]");
    }
  }
}
