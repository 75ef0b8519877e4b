package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real servers and workers that serve over HTTP, configured by a file. */
class ServerIT {
  @TempDir private Path directory;

  private Program start(Map<String, String> environment, String... args) throws Exception {
    Files.writeString(
        directory.resolve(".sluice.toml"),
        """
        [store]
        url = "file:./data"
        [concurrency.limits]
        slow = 2
        [schedules.often]
        task = "slow"
        every = "1h"
        """);
    Program program = Program.start(directory, environment, args);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> program.err().contains("stops it") || program.err().contains("sluice: "));
    return program;
  }

  private Run sluice(String... args) throws Exception {
    try (Program program = Program.start(directory, Map.of(), args)) {
      return program.await();
    }
  }

  private static String url(Program program) throws Exception {
    return program.err().replaceAll("(?s).*(http://[^/\\s]+).*", "$1");
  }

  @Test
  void server_withWorker_servesRunsJobsAndDrains() throws Exception {
    Path started = directory.resolve("started");
    Path gate = directory.resolve("gate");
    String command =
        "slow=touch %s; while [ ! -e %s ]; do sleep 0.05; done".formatted(started, gate);
    try (Program server = start(Map.of(), "server", "--port", "0", "--worker", "--exec", command)) {
      String url = url(server);
      assertThat(Http.response(url + "/healthz").statusCode()).isEqualTo(200);
      assertThat(Http.get(url + "/")).contains("<html");
      assertThat(server.err()).contains("The limit of 'slow' is 2", "The schedule 'often' is new");
      assertThat(Http.get(url + "/api/v1/schedules")).contains("\"name\":\"often\"");
      String job = sluice("submit", "slow").out().strip();
      await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(started));
      assertThat(Http.get(url + "/metrics")).contains("sluice_jobs_started_total{task=\"slow\"}");
      assertThat(Http.get(url + "/api/v1/jobs/" + job)).contains("\"state\":\"running\"");
      server.signal("TERM");
      await().atMost(Duration.ofSeconds(30)).until(() -> server.err().contains("1 at work"));
      Files.createFile(gate);
      assertThat(server.await().exitCode()).isZero();
      assertThat(sluice("jobs", "show", job).out()).contains("succeeded");
    }
  }

  @Test
  void server_tokens_areDemandedAndNeverPrinted() throws Exception {
    try (Program server =
        start(
            Map.of("SLUICE_SERVER_READ_TOKENS", "ada=s3cret-that-is-long-enough"),
            "server",
            "--port",
            "0",
            "--debug")) {
      String overview = url(server) + "/api/v1/overview";
      assertThat(Http.response(overview).statusCode()).isEqualTo(401);
      assertThat(
              Http.response(overview, "Authorization", "Bearer s3cret-that-is-long-enough")
                  .statusCode())
          .isEqualTo(200);
      server.signal("TERM");
      Run run = server.await();
      assertThat(run.out() + run.err()).doesNotContain("s3cret");
    }
  }

  @Test
  void server_change_isOnStandardError() throws Exception {
    try (Program server = start(Map.of(), "server", "--port", "0")) {
      HttpRequest change =
          HttpRequest.newBuilder(URI.create(url(server) + "/api/v1/group/limit?group=slow"))
              .header("X-Sluice-Request", "1")
              .header("Content-Type", "application/json")
              .PUT(HttpRequest.BodyPublishers.ofString("{\"limit\": 7}"))
              .build();
      assertThat(Http.send(change).statusCode()).isEqualTo(200);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(server.err())
                      .contains("INFO ", "change=\"PUT /api/v1/group/limit\"", "status=200"));
    }
  }

  @Test
  void commands_badSettingOfTheServer_workStill() throws Exception {
    Map<String, String> wrong = Map.of("SLUICE_SERVER_PORT", "http");
    try (Program server = start(wrong, "server");
        Program queues = Program.start(directory, wrong, "queues", "list")) {
      assertThat(server.await().exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(server.err()).contains("SLUICE_SERVER_PORT: The value of 'server.port'");
      assertThat(queues.await().exitCode()).isZero();
    }
  }

  @Test
  void server_addressTakenOrOpenToAll_isRefused() throws Exception {
    try (Program server = start(Map.of(), "server", "--port", "0")) {
      String port = url(server).replaceAll(".*:", "");
      Run second = sluice("server", "--port", port);
      assertThat(second.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(second.err()).contains("the port is in use").hasLineCount(1);
      Run open = sluice("server", "--port", "0", "--address", "0.0.0.0");
      assertThat(open.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(open.err()).contains("without any token");
    }
  }

  @Test
  void worker_metrics_areServed() throws Exception {
    try (Program worker =
        start(Map.of(), "worker", "--exec", "slow=true", "--metrics", "0", "--no-schedules")) {
      String url = url(worker);
      assertThat(Http.get(url + "/healthz")).isEqualTo("ok\n");
      assertThat(Http.response(url + "/other").statusCode()).isEqualTo(404);
      assertThat(sluice("submit", "slow", "--wait").exitCode()).isZero();
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(Http.get(url + "/metrics"))
                      .contains("sluice_jobs_succeeded_total{task=\"slow\"} 1.0")
                      .as("what is in the store is for the server to tell")
                      .doesNotContain("sluice_concurrency_slots_limit"));
      assertThat(Http.get(url + "/readyz")).isEqualTo("ready\n");
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(sluice("--json", "workers").out())
                      .contains("\"concurrency\":64")
                      .as("commands are other processes: throttles of this one bind nothing")
                      .doesNotContain("throttles"));
      assertThat(sluice("workers").out()).contains("default", "slow", "/64");
    }
  }

  @Test
  void worker_metricsOpenToAll_demandTheServersTokens() throws Exception {
    String[] open = {"worker", "--exec", "slow=true", "--metrics", "0.0.0.0:0"};
    Run refused = sluice(open);
    assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("without any token", "server.read_tokens").hasLineCount(1);
    Map<String, String> tokens =
        Map.of("SLUICE_SERVER_OPERATE_TOKENS", "ada=s3cret-that-is-long-enough");
    try (Program worker =
        start(tokens, "worker", "--exec", "slow=true", "--metrics", "0", "--no-schedules")) {
      String metrics = url(worker) + "/metrics";
      assertThat(Http.response(metrics).statusCode()).isEqualTo(401);
      assertThat(
              Http.response(metrics, "Authorization", "Bearer s3cret-that-is-long-enough")
                  .statusCode())
          .isEqualTo(200);
      assertThat(Http.response(url(worker) + "/healthz").statusCode()).isEqualTo(200);
    }
  }
}
