package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real worker processes that run shell commands, stopped, killed and frozen. */
class WorkerIT {
  @TempDir private Path directory;

  private final String task = "task-" + UUID.randomUUID();

  private static Run sluice(String... args) {
    return Run.of(TestStore.with(WorkerIT.class, args));
  }

  private Program worker(String command, String... more) throws Exception {
    return worker(Map.of(), command, more);
  }

  private Program worker(Map<String, String> environment, String command, String... more)
      throws Exception {
    List<String> args = new ArrayList<>(List.of("worker", "--exec", task + "=" + command));
    args.addAll(List.of(more));
    Program worker =
        Program.start(environment, TestStore.with(WorkerIT.class, args.toArray(new String[0])));
    await().atMost(Duration.ofSeconds(30)).until(() -> worker.err().contains("Ctrl-C stops it"));
    return worker;
  }

  @Test
  void worker_jobs_runAndAreWaitedFor() throws Exception {
    try (Program worker = worker("cat; echo \" $SLUICE_TASK\"", "--max-concurrent", task + "=1")) {
      Run run = sluice("submit", task, "--payload", "{\"a\":1}", "--count", "30", "--wait");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.lines()).hasSize(30);
      assertThat(run.err()).contains("30 succeeded");
      assertThat(sluice("--json", "jobs", "show", run.lines().get(0)).out())
          .contains("\"result\":\"{\\\"a\\\":1}\\n " + task + "\"");
      worker.signal("TERM");
      assertThat(worker.await().exitCode()).isZero();
    }
  }

  @Test
  void worker_pointerOnRecordAfterTheJobs_holdsItsLimit() throws Exception {
    Path log = directory.resolve("log");
    String command = "echo + >> %1$s; sleep 0.1; echo - >> %1$s".formatted(log);
    Run submitted = sluice("submit", task, "--payload", "{\"tenant\":\"acme\"}", "--count", "9");
    assertThat(submitted.lines()).hasSize(9);
    sluice("concurrency", "set", task + "/tenant=*", "--limit", "2", "--pointer", "/tenant");
    try (Program worker = worker(command, "--concurrency", "9")) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  sluice("jobs", "list", "--task", task, "--state", "succeeded").lines().size()
                      > 9);
    }
    int running = 0;
    int most = 0;
    for (String line : Files.readAllLines(log)) {
      running += line.equals("+") ? 1 : -1;
      most = Math.max(most, running);
    }
    assertThat(most).as("of acme at once").isEqualTo(2);
  }

  @Test
  void worker_leaseFromTheSettingOrTheFlag_isTheLeaseItSignsOnWith() throws Exception {
    Map<String, String> setting = Map.of("SLUICE_CONCURRENCY_DEFAULT_LEASE_DURATION_SECS", "7");
    try (Program worker = worker(setting, "true")) {
      assertThat(leaseSeconds()).isEqualTo(7);
    }
    try (Program worker = worker(setting, "true", "--lease", "1500ms", "--queue", "flag")) {
      await().atMost(Duration.ofSeconds(30)).until(() -> leaseSeconds("flag") == 1.5);
    }
  }

  private double leaseSeconds(String... queues) throws Exception {
    for (String line : sluice("--json", "workers").lines()) {
      JsonNode info = new ObjectMapper().readTree(line);
      boolean ours = info.get("tasks").toString().contains(task);
      if (ours && (queues.length == 0 || info.get("queues").get(0).asText().equals(queues[0]))) {
        return info.get("lease_seconds").asDouble();
      }
    }
    return -1;
  }

  @Test
  void worker_command_getsTheEnvironmentWithoutSecretsOfSluice() throws Exception {
    Map<String, String> environment =
        Map.of(
            "SLUICE_STORE", "postgresql://app:geheim@nowhere/db",
            "SLUICE_SERVER_READ_TOKENS", "0123456789-geheim",
            "SLUICE_WORKER_CONCURRENCY", "3");
    try (Program worker = worker(environment, "env")) {
      Run run = sluice("submit", task, "--wait");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(sluice("--json", "jobs", "show", run.out().strip()).out())
          .contains("SLUICE_JOB_ID=", "SLUICE_WORKER_CONCURRENCY=3")
          .doesNotContain("geheim", "SLUICE_STORE", "TOKENS");
    }
  }

  @Test
  void worker_commandFails_failsTheWait() throws Exception {
    try (Program worker = worker("echo out of paper >&2; exit 3", "--attempts", "1")) {
      Run run = sluice("submit", task, "--wait");
      assertThat(run.exitCode()).isEqualTo(ExitCode.NEGATIVE);
      assertThat(run.err()).contains("exit code 3: out of paper", "1 failed");
    }
  }

  @Test
  void submit_waitWithoutWorker_saysWhatMayBeMissingAndThatTheJobsStay() throws Exception {
    try (Program waiting =
        Program.start(TestStore.with(WorkerIT.class, "submit", task, "--queue", "q-1", "--wait"))) {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> waiting.err().contains("is a worker for task '" + task + "' running"));
      waiting.signal("INT");
      assertThat(waiting.await().err())
          .contains("on queue 'q-1'?", "The jobs stay submitted; see 'sluice jobs list'.");
      assertThat(sluice("jobs", "list", "--task", task).out()).contains("ready");
    }
  }

  @Test
  void worker_commandFailsWithADump_showsItsEnd() throws Exception {
    String command = "seq 1 5000 >&2; echo out of paper >&2; exit 3";
    try (Program worker = worker(command, "--attempts", "1")) {
      Run run = sluice("submit", task, "--wait");
      assertThat(run.err()).contains("\n  5000\n  out of paper\n").doesNotContain("\\n");
      assertThat(sluice("jobs", "show", run.out().strip()).out()).contains("\n  out of paper\n");
    }
  }

  @Test
  void worker_timeout_letsTheScriptCleanUp() throws Exception {
    Path note = directory.resolve("note");
    Path script = directory.resolve("script");
    Files.writeString(
        script,
        "trap 'sleep 1; echo cleaned up >" + note + "; exit 1' TERM\nwhile :; do sleep 0.05; done");
    try (Program worker = worker("sh " + script + "; echo over", "--attempts", "1")) {
      Run run = sluice("submit", task, "--timeout", "1s", "--wait");
      assertThat(run.err()).contains("timed out after 1 s", "1 failed");
      assertThat(note).hasContent("cleaned up");
    }
  }

  @Test
  void worker_jobCancelled_endsTheCommand() throws Exception {
    Path started = directory.resolve("started");
    try (Program worker = worker("touch " + started + "; sleep 60")) {
      String id = sluice("submit", task).out().strip();
      await().atMost(Duration.ofSeconds(10)).until(() -> Files.exists(started));
      assertThat(sluice("jobs", "cancel", id).out()).contains("asked to stop");
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> sluice("jobs", "show", id).out().contains("cancelled"));
    }
  }

  @Test
  void worker_localeWithoutUtf8_passesNamesOnWhole() throws Exception {
    try (Program worker =
        worker(Map.of("LC_ALL", "C"), "echo żółć 🚀", "--max-concurrent", task + "=1")) {
      Run run = sluice("--json", "submit", task, "--wait");
      assertThat(run.out()).contains("\"result\":\"żółć 🚀\"");
    }
  }

  @Test
  void worker_killed_neverOverlapsWithTheNext() throws Exception {
    handOver("KILL");
  }

  @Test
  void worker_frozen_neverOverlapsWithTheNext() throws Exception {
    handOver("STOP");
  }

  /** The command of the first attempt must be gone before that of the second starts. */
  private void handOver(String signal) throws Exception {
    Path beats = directory.resolve("beats");
    String command =
        "trap '' TERM; while :; do echo $SLUICE_ATTEMPT >>" + beats + "; sleep 0.02; done";
    String[] options = {"--lease", "3s", "--max-concurrent", task + "=1"};
    try (Program first = worker(command, options)) {
      sluice("submit", task);
      await().atMost(Duration.ofSeconds(10)).until(() -> Files.exists(beats));
      try (Program second = worker(command, options)) {
        first.signal(signal);
        await().atMost(Duration.ofSeconds(20)).until(() -> Files.readAllLines(beats).contains("2"));
        // A second of both, if there were two.
        int seen = Files.readAllLines(beats).size();
        await().until(() -> Files.readAllLines(beats).size() > seen + 40);
        List<String> lines = Files.readAllLines(beats);
        assertThat(lines.subList(lines.indexOf("2"), lines.size())).containsOnly("2");
      } finally {
        first.signal("KILL");
      }
    }
  }
}
