package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.object.FaultyS3Server;
import dev.sluice.object.TestCredentials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command without a database: in a directory, and in a bucket over HTTP. */
class ObjectStoreCommandsIT {
  @TempDir static Path directory;
  private static FaultyS3Server server;

  @BeforeAll
  static void start() {
    TestCredentials.use();
    server = new FaultyS3Server();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static Stream<String> stores() {
    return Stream.of("file:" + directory.resolve("data"), bucket());
  }

  private static String bucket() {
    return "s3://%s/cli?endpoint=%s".formatted(FaultyS3Server.BUCKET, server.endpoint());
  }

  private static String[] with(String store, String... args) {
    List<String> all = new ArrayList<>(List.of("--store", store));
    all.addAll(List.of(args));
    return all.toArray(new String[0]);
  }

  private static Run sluice(String store, String... args) {
    return Run.of(with(store, args));
  }

  private static Run succeeds(String store, String... args) {
    Run run = sluice(store, args);
    assertThat(run.exitCode()).as(String.join(" ", args) + ": " + run.err()).isZero();
    return run;
  }

  @Test
  void limitOfAGroupThatNothingHasUsed_isSetWithAWarningOnStandardError() {
    String store = "file:" + directory.resolve("mistyped");
    succeeds(store, "submit", "send_email");
    Run meant = succeeds(store, "concurrency", "set", "send_email", "--limit", "3");
    assertThat(meant.err()).isEmpty();

    Run mistyped = succeeds(store, "concurrency", "set", "sned_email", "--limit", "3");
    assertThat(mistyped.out()).contains("Group 'sned_email'");
    assertThat(mistyped.err())
        .contains("Nothing on record uses the group 'sned_email'", "Did you mean 'send_email'?")
        .hasLineCount(1);
  }

  @Test
  void commandThatOnlyReads_createsNoDirectory() {
    Path mistyped = directory.resolve("mistpyed");

    Run run = sluice("file:" + mistyped, "jobs", "list");

    assertThat(run.exitCode()).isEqualTo(69);
    assertThat(run.err()).contains("There is no directory " + mistyped, "--store");
    assertThat(mistyped).doesNotExist();
  }

  @ParameterizedTest
  @MethodSource("stores")
  void jobs_submittedShownCancelledAndTriedAgain(String store) {
    String task = "task-" + UUID.randomUUID();
    String id = succeeds(store, "submit", task, "--payload", "{\"who\": \"🚀\"}").out().strip();
    assertThat(succeeds(store, "jobs", "show", id).out()).contains(task, "ready", "🚀");
    assertThat(succeeds(store, "jobs", "list", "--task", task).out()).contains(id);
    assertThat(succeeds(store, "jobs", "cancel", id).out()).contains("cancelled");
    assertThat(sluice(store, "jobs", "cancel", id).exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(succeeds(store, "jobs", "retry", id).out()).contains("ready again");
    assertThat(succeeds(store, "submit", task, "--dedupe-key", "once").out())
        .isEqualTo(succeeds(store, "submit", task, "--dedupe-key", "once").out());
    String[] reject = {
      "submit", "t", "--group", "g-" + task, "--limit", "1", "--on-limit", "reject"
    };
    succeeds(store, reject);
    assertThat(sluice(store, reject).err()).contains("ConcurrencyLimitReached", task);
    assertThat(sluice(store, "jobs", "show", UUID.randomUUID().toString()).err())
        .contains("There is no job");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void queuesAndLimits_setAndShown(String store) {
    String name = "name-" + UUID.randomUUID();
    succeeds(store, "queues", "pause", name);
    assertThat(succeeds(store, "queues", "list").out()).contains(name, "paused");
    succeeds(store, "queues", "resume", name);
    assertThat(succeeds(store, "concurrency", "set", name, "--limit", "3").out())
        .contains("3, set");
    assertThat(succeeds(store, "concurrency", "status").out()).contains(name);
    assertThat(succeeds(store, "--json", "concurrency", "status", name).out())
        .contains("\"limit\":3");
    assertThat(sluice(store, "concurrency", "release", name, "0", "--force").err())
        .contains("is not held");
    assertThat(succeeds(store, "concurrency", "set", name, "--remove").out()).contains("no limit");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void worker_inAProcessOfItsOwn_runsWhatIsSubmitted(String store) throws Exception {
    String task = "task-" + UUID.randomUUID();
    try (Program worker =
        Program.start(
            TestCredentials.environment(),
            with(store, "worker", "--exec", task + "=cat", "--max-concurrent", task + "=2"))) {
      await().atMost(Duration.ofSeconds(40)).until(() -> worker.err().contains("Ctrl-C stops it"));
      Run run = succeeds(store, "submit", task, "--payload", "{\"a\":1}", "--count", "5", "--wait");
      assertThat(run.err()).contains("5 succeeded");
      assertThat(succeeds(store, "jobs", "show", run.lines().get(0)).out()).contains("{\"a\":1}");
      worker.signal("TERM");
      assertThat(worker.await().exitCode()).isZero();
    }
    assertThat(succeeds(store, "concurrency", "status", task).out()).contains("active   0");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void doctor_healthy_showsPromisesLayoutJobsAndCost(String store) throws Exception {
    String schema = "d_" + UUID.randomUUID().toString().replace("-", "");
    Run fresh = succeeds(store, "doctor", "--schema", schema);
    assertThat(fresh.out())
        .contains("it creates an object only if there is none", "a write takes", "nothing is kept")
        .contains("Everything is as it should be.");
    succeeds(store, "submit", "t", "--count", "7", "--schema", schema);
    Run used = succeeds(store, "--json", "doctor", "--schema", schema);
    JsonNode diagnosis = new ObjectMapper().readTree(used.out());
    assertThat(diagnosis.get("healthy").asBoolean()).isTrue();
    assertThat(figure(diagnosis, "jobs", "ready")).isEqualTo(7);
    assertThat(figure(diagnosis, "one job", "requests_per_job")).isBetween(1.0, 12.0);
    assertThat(figure(diagnosis, "1,000 jobs", "requests_per_job")).isBetween(0.001, 0.1);
    assertThat(figure(diagnosis, "one job", "dollars_per_million_jobs")).isPositive();
    assertThat(succeeds(store, "jobs", "list", "--schema", schema).lines())
        .as("7 jobs and a heading: the doctor left nothing behind")
        .hasSize(8);
  }

  private static double figure(JsonNode diagnosis, String subject, String name) {
    for (JsonNode finding : diagnosis.get("findings")) {
      if (finding.get("subject").asText().equals(subject)) {
        return finding.get("figures").get(name).asDouble();
      }
    }
    throw new AssertionError("The doctor said nothing about " + subject + ": " + diagnosis);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void demo_inProcessesOfItsOwn_provesThatTheLimitsHeld(String store) throws Exception {
    try (Program demo =
        Program.start(
            TestCredentials.environment(), with(store, "--json", "demo", "--for", "4s"))) {
      assertHeld(demo.await());
    }
  }

  @Test
  void demo_inMemory_runsInOneProcess() throws Exception {
    assertHeld(Program.run("--store", "memory:", "--json", "demo", "--for", "3s"));
  }

  private static void assertHeld(Run run) throws Exception {
    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode summary = new ObjectMapper().readTree(run.out());
    assertThat(summary.get("every_limit_held").asBoolean()).isTrue();
    assertThat(summary.get("done").asInt()).isGreaterThan(20);
  }

  @Test
  void memory_forAnythingElse_saysThatNobodyWouldSeeIt() {
    for (String[] command :
        List.of(
            new String[] {"submit", "t"},
            new String[] {"worker", "--exec", "t=true"},
            new String[] {"jobs", "list"})) {
      Run run = sluice("memory:", command);
      assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).contains("nobody would ever see", "file:./data").hasLineCount(1);
    }
    assertThat(succeeds("memory:", "doctor").out()).contains("Everything is as it should be.");
  }

  @Test
  void segment_overwritten_isNamedByCommandsAndTheDoctor_andComesBack() throws Exception {
    String store = "file:" + directory.resolve("hurt");
    String hurt = succeeds(store, "submit", "hurt").out().strip();
    Path segment = fileOf(directory.resolve("hurt"), hurt);
    byte[] bytes = Files.readAllBytes(segment);
    Files.writeString(segment, "something else");
    String good = succeeds(store, "submit", "good").out().strip();

    assertThat(succeeds(store, "jobs", "show", good).out()).contains("ready");
    Run list = sluice(store, "jobs", "list");
    assertThat(list.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(list.err()).contains("/inbox/", "Restore it").doesNotContain("\tat ");
    Run doctor = sluice(store, "doctor");
    assertThat(doctor.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(doctor.out()).contains("BAD", "/inbox/", "Restore it", "One thing is wrong.");
    try (Program worker =
        Program.start(
            with(store, "worker", "--exec", "good=true", "--exec", "hurt=true", "--lease", "2s"))) {
      await()
          .atMost(Duration.ofSeconds(40))
          .until(() -> sluice(store, "jobs", "show", good).out().contains("succeeded"));
      Files.write(segment, bytes);
      await()
          .atMost(Duration.ofSeconds(40))
          .until(() -> sluice(store, "jobs", "show", hurt).out().contains("succeeded"));
      assertThat(worker.err()).contains("/inbox/", "can be read again").doesNotContain("\tat ");
    }
    assertThat(succeeds(store, "doctor").out()).contains("2 succeeded");
  }

  @Test
  void controlObject_overwritten_isNamed_keepsTheRunningJob_andComesBack() throws Exception {
    Path data = directory.resolve("control");
    String store = "file:" + data;
    Path finish = directory.resolve("finish");
    Path started = directory.resolve("started");
    String command = "t=touch " + started + "; while ! [ -e " + finish + " ]; do sleep 0.05; done";
    try (Program worker =
        Program.start(with(store, "worker", "--exec", command, "--lease", "2s"))) {
      String id = succeeds(store, "submit", "t").out().strip();
      await().atMost(Duration.ofSeconds(40)).until(() -> Files.exists(started));
      Path control = fileOf(data, "\"rulesVersion\"");
      byte[] bytes = Files.readAllBytes(control);
      Files.writeString(control, "something else");

      Run list = sluice(store, "queues", "list");
      assertThat(list.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(list.err()).contains("shards/0/control.json", "Restore it").hasLineCount(1);
      assertThat(sluice(store, "doctor").out()).contains("BAD", "shards/0/control.json");
      String later = succeeds(store, "submit", "t").out().strip();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> worker.err().contains("shards/0/control.json"));
      Files.write(control, bytes);
      Files.createFile(finish);
      for (String job : List.of(id, later)) {
        await()
            .atMost(Duration.ofSeconds(40))
            .until(() -> sluice(store, "jobs", "show", job).out().contains("succeeded"));
        assertThat(succeeds(store, "--json", "jobs", "show", job).out()).contains("\"attempt\":1");
      }
      assertThat(worker.err()).doesNotContain("\tat ");
    }
  }

  /** The file of the store in which this text is. */
  private static Path fileOf(Path data, String text) throws Exception {
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.readString(file).contains(text)) {
          return file;
        }
      }
    }
    throw new AssertionError("No file in " + data + " has " + text);
  }
}
