package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.cli.text.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeersIT {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void peers_threeContenders_measuresAndComparesThem() throws Exception {
    Path json = directory.resolve("peers.json");
    int exitCode =
        peers(
            "--runs",
            "1",
            "--jobs",
            "200",
            "--only",
            "sluice,bare-sql,db-scheduler",
            "--json",
            json.toString());
    assertThat(exitCode).as("0, or 1 if a goal was missed: %s", text(err)).isBetween(0, 1);
    assertThat(text(out)).contains("bare-sql", "baseline vs the ceiling");
    assertThat(text(err)).contains("db-scheduler: round 1 of 1");

    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertThat(report.at("/machine/fsync").asText()).isEqualTo("on");
    JsonNode section = report.at("/sections/0");
    assertThat(section.get("name").asText()).isEqualTo("peers");
    assertThat(section.get("subjects").findValuesAsText("name"))
        .containsExactly("sluice", "bare-sql", "db-scheduler");
    assertThat(section.get("subjects"))
        .allSatisfy(
            subject -> {
              assertThat(subject.at("/figures/jobs~1s/values")).hasSize(1);
              assertThat(subject.at("/figures/jobs~1s/values/0").asDouble()).isPositive();
              assertThat(subject.at("/figures").has("server CPU per job")).isTrue();
              assertThat(subject.at("/settings/jobs in a round").asText()).isEqualTo("200");
            });
    assertThat(section.get("ratios").findValuesAsText("name"))
        .containsExactly(
            "baseline vs db-scheduler", "baseline vs the fastest peer", "baseline vs the ceiling");
    assertThat(section.at("/ratios/0/goal/must").asDouble()).isEqualTo(7);
  }

  @Test
  void peers_limited_staysWithinTheLimit() throws Exception {
    Path json = directory.resolve("peers.json");
    int exitCode =
        peers(
            "--runs", "1", "--jobs", "200", "--only", "sluice-limit-10", "--json", json.toString());
    assertThat(exitCode).as(text(err)).isZero();
    JsonNode figures =
        new ObjectMapper().readTree(json.toFile()).at("/sections/0/subjects/0/figures");
    assertThat(figures.at("/peak at limit 10/values/0").asInt()).isBetween(2, 10);
  }

  @Test
  void peers_unknownContender_saysWhoThereIs() {
    assertThat(peers("--only", "quartz")).isEqualTo(2);
    assertThat(text(err)).contains("There is no contender 'quartz'; there are sluice,");
  }

  private int peers(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "peers";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return BenchMain.run(Console.plain(out, err), all);
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }
}
