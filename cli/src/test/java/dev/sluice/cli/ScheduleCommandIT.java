package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Schedules from the command line, in a directory. */
class ScheduleCommandIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;

  private Run sluice(String... args) {
    List<String> all = new ArrayList<>(List.of("--store", "file:" + directory));
    all.addAll(List.of(args));
    return Run.of(all.toArray(new String[0]));
  }

  private JsonNode show(String name) throws Exception {
    Run run = sluice("--json", "schedule", "show", name);
    assertThat(run.exitCode()).isZero();
    return JSON.readTree(run.out());
  }

  @Test
  void wholeLife_createShowUpdatePauseTriggerDelete() throws Exception {
    assertThat(sluice("schedule", "list").err()).contains("no schedules");
    Run created =
        sluice(
            "schedule",
            "create",
            "nightly",
            "report",
            "--cron",
            "0 3 * * *",
            "--zone",
            "Europe/Berlin",
            "--payload",
            "{\"kind\": \"sales\"}",
            "--queue",
            "slow");
    assertThat(created.err()).contains("Schedule 'nightly' is due");
    assertThat(created.exitCode()).isZero();
    assertThat(sluice("schedule", "create", "poll", "poll", "--every", "5m").exitCode()).isZero();

    Run list = sluice("schedule", "list");
    assertThat(list.out())
        .contains(
            "nightly", "report", "0 3 * * * Europe/Berlin", "poll", "every 5m 0s", "operator");
    assertThat(sluice("--json", "schedule", "list").lines()).hasSize(2);

    JsonNode shown = show("nightly");
    assertThat(shown.path("zone").asText()).isEqualTo("Europe/Berlin");
    assertThat(shown.path("payload").path("kind").asText()).isEqualTo("sales");
    assertThat(shown.path("misfire").asText()).isEqualTo("run_once");
    assertThat(shown.path("overlap").asText()).isEqualTo("wait");
    assertThat(shown.path("upcoming")).hasSize(5);
    assertThat(sluice("schedule", "show", "nightly").out())
        .contains("schedules/nightly", "{\"kind\":\"sales\"}", "active");

    assertThat(
            sluice("schedule", "update", "nightly", "--every", "2h", "--overlap", "skip")
                .exitCode())
        .isZero();
    JsonNode updated = show("nightly");
    assertThat(updated.path("every_seconds").asInt()).isEqualTo(7_200);
    assertThat(updated.has("cron")).isFalse();
    assertThat(updated.path("queue").asText()).isEqualTo("slow");
    assertThat(updated.path("overlap").asText()).isEqualTo("skip");

    assertThat(sluice("schedule", "pause", "nightly", "poll").err())
        .contains("'nightly' is paused", "'poll' is paused");
    assertThat(show("nightly").path("paused").asBoolean()).isTrue();
    assertThat(sluice("schedule", "resume", "nightly").err()).contains("'nightly' is due");

    UUID job = UUID.fromString(sluice("schedule", "trigger", "nightly").out().strip());
    assertThat(sluice("jobs", "show", job.toString()).out())
        .contains("report", "schedules/nightly", "slow");

    assertThat(sluice("schedule", "delete", "nightly", "poll").exitCode()).isZero();
    Run again = sluice("schedule", "delete", "nightly");
    assertThat(again.exitCode()).isEqualTo(ExitCode.NEGATIVE);
    assertThat(again.err()).contains("There is no schedule 'nightly'");
    assertThat(sluice("schedule", "show", "nightly").exitCode()).isEqualTo(ExitCode.NEGATIVE);
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake("needs a command"),
        mistake("cron is missing", "create", "a", "t"),
        mistake("both given", "create", "a", "t", "--cron", "@daily", "--every", "5m"),
        mistake("the hour '25' is wrong", "create", "a", "t", "--cron", "0 25 * * *"),
        mistake("has 4 fields", "create", "a", "t", "--cron", "0 3 * *"),
        mistake("never matches", "create", "a", "t", "--cron", "0 0 30 2 *"),
        mistake(
            "Did you mean Europe/Berlin?",
            "create",
            "a",
            "t",
            "--cron",
            "@daily",
            "--zone",
            "Berlin"),
        mistake("at least 1s", "create", "a", "t", "--every", "10ms"),
        mistake("is not a duration", "create", "a", "t", "--every", "soon"),
        mistake("zone is for cron", "create", "a", "t", "--every", "5m", "--zone", "UTC"),
        mistake("There is no schedule 'a'", "update", "a", "--every", "5m"),
        mistake("There is no schedule 'a'", "pause", "a"),
        mistake("There is no schedule 'a'", "trigger", "a"));
  }

  private static Arguments mistake(String message, String... args) {
    return Arguments.of(message, args);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void mistake_isSaidInOneLine(String message, String[] args) {
    List<String> all = new ArrayList<>(List.of("schedule"));
    all.addAll(List.of(args));
    Run run = sluice(all.toArray(new String[0]));
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("sluice: ").contains(message).hasLineCount(1);
    assertThat(run.err().length()).isLessThan(500);
  }

  @Test
  void update_nothingGiven_isRefused() {
    sluice("schedule", "create", "a", "t", "--every", "5m");
    Run run = sluice("schedule", "update", "a");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("Nothing would change");
  }
}
