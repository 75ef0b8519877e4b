package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Group;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code sluice why}, {@code stats}, {@code concurrency log} and {@code audit} on real stores. */
class WhyIT {
  private static final String SCHEMA = "cli_why_" + ProcessHandle.current().pid();

  @TempDir static Path directory;

  private final String task = "task-" + UUID.randomUUID();

  static Stream<String> stores() {
    return Stream.of("file:" + directory.resolve("data"), TestStore.url());
  }

  private static Run sluice(String store, String... args) {
    String[] all =
        Stream.concat(Stream.of("--store", store, "--schema", SCHEMA), Stream.of(args))
            .toArray(String[]::new);
    return Run.of(all);
  }

  private static Program worker(String store, String... exec) throws Exception {
    String[] all =
        Stream.concat(
                Stream.of("--store", store, "--schema", SCHEMA, "worker", "--quiet"),
                Stream.of(exec))
            .toArray(String[]::new);
    Program worker = Program.start(all);
    await().atMost(Duration.ofSeconds(60)).until(() -> worker.err().contains("stops it"));
    return worker;
  }

  @ParameterizedTest
  @MethodSource("stores")
  void why_noWorker_saysSo(String store) {
    String job = sluice(store, "submit", task, "--queue", task).out().strip();
    assertThat(sluice(store, "why", job).out())
        .contains(task, "No worker is subscribed to the queue '" + task + "'");
    assertThat(sluice(store, "queues", "pause", task).exitCode()).isZero();
    assertThat(sluice(store, "why", job).out()).contains("is paused");
    String later = sluice(store, "submit", task, "--delay", "2h").out().strip();
    assertThat(sluice(store, "why", later).out()).contains("not due until", "(in 1h 59m)");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void why_groupFullThenRun_namesHoldersAndTheWait(String store) throws Exception {
    Path gate = directory.resolve(task);
    try (Program worker =
        worker(store, "--exec", task + "=while [ ! -e " + gate + " ]; do sleep 0.05; done")) {
      assertThat(sluice(store, "concurrency", "set", task, "--limit", "1").exitCode()).isZero();
      String first = sluice(store, "submit", task).out().strip();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> sluice(store, "jobs", "show", first).out().contains("running"));
      String second = sluice(store, "submit", task).out().strip();
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(sluice(store, "why", second).out())
                      .contains("The group '" + task + "' is full: 1 of 1 slots", first)
                      .contains("level operator, set by ", "It is the next in the line"));
      JsonNode json = new ObjectMapper().readTree(sluice(store, "--json", "why", second).out());
      assertThat(json.at("/reasons/0/kind").asText()).isEqualTo("group_full");
      assertThat(json.at("/reasons/0/group/slots/0/job").asText()).isEqualTo(first);
      assertThat(sluice(store, "why", first).out()).contains("It runs on worker");
      assertThat(sluice(store, "concurrency", "status", "--search", task).out())
          .containsPattern(task + " +1 +1 .* 1 +operator");
      Run stats = sluice(store, "stats", "--interval", "1s");
      assertThat(stats.out()).contains("running", "rates", task);
      Files.createFile(gate);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(sluice(store, "why", second).out())
                      .contains(": succeeded.", "It waited"));
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void why_runOfAWorkflow_saysWhatStepsWaitFor(String store) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve(task + ".json"),
            """
            {"type": "%s", "steps": [
              {"name": "list", "task": "%s"},
              {"name": "last", "task": "%s", "depends_on": ["list"]}]}
            """
                .formatted(task, task, task));
    String run = sluice(store, "workflow", "start", file.toString()).out().strip();
    assertThat(sluice(store, "why", run).out())
        .contains(
            task, "step list", "No worker", "step last", "It depends on list", "waits for list");
    assertThat(sluice(store, "why", run + "/last").out()).doesNotContain("step list");
    assertThat(sluice(store, "--json", "why", run + "/list").out()).contains("\"kind\":\"no_");
    assertThat(sluice(store, "why", run + "/lsat").err()).contains("Did you mean last?");
    assertThat(sluice(store, "why", UUID.randomUUID().toString()).exitCode())
        .isEqualTo(ExitCode.NEGATIVE);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void log_limitChanged_saysWhoAndWhen(String store) {
    assertThat(sluice(store, "concurrency", "set", task, "--limit", "0").exitCode()).isZero();
    String who = System.getProperty("user.name") + "@";
    assertThat(sluice(store, "concurrency", "log", task).out())
        .containsPattern(task + " +none +0 +operator +" + who);
    assertThat(sluice(store, "concurrency", "status", task).out())
        .contains("(on hold)", "set by " + who);
    String job = sluice(store, "submit", task).out().strip();
    assertThat(sluice(store, "why", job).exitCode()).isZero();
    assertThat(sluice(store, "concurrency", "audit").out()).contains("no limit is exceeded");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void status_manyGroups_isPagedAndSearched(String store) {
    try (Sluice sluice = Sluice.open(SluiceOptions.url(store).schema(SCHEMA))) {
      for (int i = 0; i < 60; i++) {
        sluice.concurrency().setLimit(Group.of(task + "-" + i), 1);
      }
      sluice
          .concurrency()
          .tryAcquire(
              Group.of(task + "-7"), OptionalInt.empty(), "me", "here", Duration.ofMinutes(1));
    }
    Run busiest = sluice(store, "concurrency", "status", "--search", task);
    assertThat(busiest.lines()).hasSize(51);
    assertThat(busiest.lines().get(1)).startsWith(task + "-7 ");
    assertThat(busiest.err()).contains("There may be more");
    assertThat(sluice(store, "concurrency", "status", "--search", task, "--all").lines())
        .hasSize(61);
  }
}
