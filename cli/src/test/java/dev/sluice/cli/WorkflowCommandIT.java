package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workflows from the command line, on a real store and with a real worker. */
class WorkflowCommandIT {
  private static final String DEFINITION =
      """
      {"type": "%s", "max_concurrent_steps": 2, "steps": [
        {"name": "list", "task": "list"},
        {"name": "each", "task": "each", "over": {"$result": "list"}, "depends_on": ["list"]},
        {"name": "ask", "signal": "approved", "depends_on": ["list"]},
        {"name": "last", "task": "each", "depends_on": ["each", "ask"], "input": {"$result": "ask"}}]}
      """;

  @TempDir private Path directory;

  private final String type = "type-" + UUID.randomUUID();

  private static Run sluice(String... args) {
    return Run.of(TestStore.with(WorkflowCommandIT.class, args));
  }

  private String file() throws Exception {
    return Files.writeString(directory.resolve("w.json"), DEFINITION.formatted(type)).toString();
  }

  private static JsonNode show(String run) throws Exception {
    return new ObjectMapper().readTree(sluice("--json", "workflow", "show", run).out());
  }

  @Test
  void wholeLife_startShowSignalListAgain() throws Exception {
    String run = sluice("workflow", "start", file(), "--input", "{\"n\": 1}").out().strip();
    assertThat(UUID.fromString(run)).isNotNull();
    Run shown = sluice("workflow", "show", run);
    assertThat(shown.out())
        .contains(type, run, "running", "list", "its job is ready", "each", "waits for list");
    try (Program worker =
        Program.start(
            TestStore.with(
                WorkflowCommandIT.class,
                "worker",
                "--exec",
                "list=echo '[1, 2, 3, 4, 5]'",
                "--exec",
                "each=cat"))) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> show(run).get("state").asText().equals("waiting_signal"));
      assertThat(sluice("workflow", "show", run).out())
          .contains("5 of 5 done", "waits for the signal 'approved'");
      assertThat(sluice("workflow", "signal", run, "approved", "--payload", "\"yes\"").exitCode())
          .isZero();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> show(run).get("state").asText().equals("succeeded"));
    }
    assertThat(sluice("workflow", "list", "--type", type, "--state", "succeeded").out())
        .contains(run);
    Run again = sluice("workflow", "signal", run, "approved");
    assertThat(again.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(again.err()).contains("succeeded");
    assertThat(sluice("workflow", "start", type).exitCode()).isZero();
  }

  @Test
  void steering_pauseSetResumeCancelRetry() throws Exception {
    String run = sluice("workflow", "start", file()).out().strip();
    assertThat(sluice("workflow", "pause", run).out()).contains("paused");
    assertThat(sluice("workflow", "set", run, "--max-concurrent-steps", "7").exitCode()).isZero();
    assertThat(show(run).get("max_concurrent_steps").asInt()).isEqualTo(7);
    assertThat(sluice("workflow", "resume", run).out()).contains("running");
    assertThat(sluice("workflow", "cancel", run).out())
        .as("nothing of it had started")
        .contains("cancelled");
    assertThat(sluice("workflow", "retry", run).out()).contains("running");
    assertThat(sluice("workflow", "set", run, "--max-steps-per-tick", "0").err())
        .contains("max_steps_per_tick is 0");
  }

  @Test
  void validate_saysWhatIsWrong() throws Exception {
    assertThat(sluice("workflow", "validate", file()).out()).contains(type, "4 steps");
    Path bad = directory.resolve("bad.json");
    Files.writeString(
        bad,
        "{\"type\": \"w\", \"steps\": [{\"name\": \"a\", \"task\": \"t\", \"depends_on\": [\"b\"]}]}");
    Run refused = sluice("workflow", "validate", bad.toString());
    assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("depends_on of step 'a'", "no step 'b'");
    assertThat(sluice("workflow", "start", "no-such-type").err()).contains("no file");
    assertThat(sluice("workflow", "show", UUID.randomUUID().toString()).exitCode())
        .isEqualTo(ExitCode.NEGATIVE);
  }

  @Test
  void demo_showsThatTheCapHeld() throws Exception {
    Run run = Program.run(TestStore.with(WorkflowCommandIT.class, "--json", "demo", "--workflow"));
    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode summary = new ObjectMapper().readTree(run.out());
    assertThat(summary.get("cap_held").asBoolean()).isTrue();
    assertThat(summary.get("state").asText()).isEqualTo("succeeded");
  }
}
