package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.cli.config.Surroundings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The doctor does not call a store healthy in which jobs wait that nothing will run. */
class DoctorAlertsIT {
  private static final Path NOWHERE = Path.of("target", "nowhere").toAbsolutePath();
  private static final Surroundings IMPATIENT =
      new Surroundings(
          Map.of(
              "SLUICE_ALERTS_UNSERVED_SECS", "0.2",
              "SLUICE_ALERTS_FAILURE_ATTEMPTS", "3"),
          NOWHERE,
          NOWHERE);

  @TempDir static Path directory;

  static Stream<String> stores() {
    return Stream.of("file:" + directory.resolve("data"), TestStore.url());
  }

  private static String[] with(String store, String schema, String... args) {
    return Stream.concat(Stream.of("--store", store, "--schema", schema), Stream.of(args))
        .toArray(String[]::new);
  }

  private static Run impatient(String store, String schema, String... args) {
    return Run.in(IMPATIENT, with(store, schema, args));
  }

  private static String newSchema() {
    return "a_" + UUID.randomUUID().toString().replace("-", "");
  }

  private static void awaitRaised(String store, String schema, String... words) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              Run doctor = impatient(store, schema, "doctor");
              assertThat(doctor.out()).contains(words);
              assertThat(doctor.exitCode()).isEqualTo(ExitCode.NEGATIVE);
            });
  }

  @ParameterizedTest
  @MethodSource("stores")
  void jobsThatNoWorkerServes_areRaised(String store) throws Exception {
    String schema = newSchema();
    assertThat(impatient(store, schema, "submit", "lost").exitCode()).isZero();
    awaitRaised(store, schema, "BAD  workers", "no worker is alive");

    // The jobs of the task that is served are newer and many more.
    try (Program worker =
        Program.start(
            with(store, schema, "worker", "--exec", "other=sleep 60", "--concurrency", "1"))) {
      assertThat(impatient(store, schema, "submit", "other", "--count", "700").exitCode()).isZero();
      awaitRaised(store, schema, "BAD  jobs", "'lost'");
      JsonNode alerts =
          new ObjectMapper()
              .readTree(impatient(store, schema, "--json", "doctor").out())
              .get("alerts");
      assertThat(alerts).hasSize(1);
      assertThat(alerts.get(0).get("kind").asText()).isEqualTo("unserved");
      assertThat(alerts.get(0).get("task").asText()).isEqualTo("lost");
      assertThat(alerts.get(0).get("jobs").asInt()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void groupHeldAndTaskThatFails_areRaised(String store) throws Exception {
    String schema = newSchema();
    try (Program worker =
        Program.start(with(store, schema, "worker", "--exec", "bad=false", "--attempts", "1"))) {
      assertThat(impatient(store, schema, "submit", "bad", "--count", "3").exitCode()).isZero();
      awaitRaised(store, schema, "BAD  tasks", "3 of 3 attempts", "'bad'");
      assertThat(impatient(store, schema, "concurrency", "set", "bad", "--limit", "0").exitCode())
          .isZero();
      awaitRaised(store, schema, "BAD  groups", "'bad' is held");
    }
  }
}
