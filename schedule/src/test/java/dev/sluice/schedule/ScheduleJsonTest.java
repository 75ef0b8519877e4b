package dev.sluice.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.Task;
import dev.sluice.schedule.ScheduleInfo.Last;
import dev.sluice.schedule.ScheduleInfo.Outcome;
import dev.sluice.spi.ScheduleStore.Entry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleJsonTest {
  private static JsonNode json(String text) {
    try {
      return ScheduleText.MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  @Test
  void parse_everything_isRead() {
    ScheduleSpec spec =
        ScheduleJson.parse(
            "nightly",
            json(
                """
                {"task": "report", "cron": "0 3 * * *", "zone": "Europe/Berlin", "queue": "slow",
                 "priority": 7, "timeout": "1h30m", "misfire": "skip", "overlap": "allow",
                 "payload": {"a": 1.50}, "groups": ["report/tenant=acme"]}"""));
    assertThat(spec.timing()).isEqualTo(new Timing.Cron("0 3 * * *", ZoneId.of("Europe/Berlin")));
    assertThat(spec.queue()).isEqualTo("slow");
    assertThat(spec.priority()).isEqualTo(7);
    assertThat(spec.timeout()).contains(Duration.ofMinutes(90));
    assertThat(spec.misfire()).isEqualTo(Misfire.SKIP);
    assertThat(spec.overlap()).isEqualTo(Overlap.ALLOW);
    assertThat(spec.payload()).hasToString("{\"a\":1.50}");
    assertThat(spec.groups()).containsExactly(Group.parse("report/tenant=acme"));
  }

  @Test
  void parse_least_hasDefaults() {
    ScheduleSpec spec = ScheduleJson.parse("poll", json("{\"task\": \"t\", \"every\": \"5m\"}"));
    assertThat(spec.timing()).isEqualTo(new Timing.Every(Duration.ofMinutes(5), Optional.empty()));
    assertThat(spec.misfire()).isEqualTo(Misfire.RUN_ONCE);
    assertThat(spec.overlap()).isEqualTo(Overlap.WAIT);
    assertThat(spec.payload()).hasToString("{}");
    assertThat(spec.group()).hasToString("schedules/poll");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"cron\": \"@daily\"}|task is missing",
        "{\"task\": \"t\"}|cron is missing",
        "{\"task\": \"t\", \"cron\": \"@daily\", \"every\": \"5m\"}|both given",
        "{\"task\": \"t\", \"every\": \"5m\", \"zone\": \"UTC\"}|zone is for cron",
        "{\"task\": \"t\", \"every\": \"soon\"}|not a duration",
        "{\"task\": \"t\", \"every\": 5}|every is not a text",
        "{\"task\": \"t\", \"every_seconds\": 0.5}|at least 1s",
        "{\"task\": \"t\", \"every\": \"5m\", \"misfire\": \"never\"}|use run_once or skip",
        "{\"task\": \"t\", \"every\": \"5m\", \"priority\": 1.5}|priority is not a whole number",
        "{\"task\": \"t\", \"every\": \"5m\", \"que\": \"x\"}|que is not known",
        "{\"task\": \"t\", \"every\": \"5m\", \"name\": \"x\"}|name is another",
        "[]|is not an object"
      })
  void parse_wrong_namesScheduleAndKey(String text, String complaint) {
    assertThatThrownBy(() -> ScheduleJson.parse("poll", json(text)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'poll'")
        .hasMessageContaining(complaint);
  }

  @Test
  void text_writtenAndRead_isTheSame() {
    Instant now = Instant.parse("2027-01-10T12:00:00.123456Z");
    Schedule schedule =
        new Schedule(
            ScheduleJson.parse("n", json("{\"task\":\"t\",\"every\":\"5m\",\"payload\":[1.0]}")),
            "code:billing",
            UUID.randomUUID(),
            Optional.of(new Schedule.Times(now, now, Optional.of(now.plusSeconds(300)))),
            true,
            Optional.of(
                new Last(
                    now,
                    now,
                    Outcome.SUBMITTED,
                    Optional.of(UUID.randomUUID()),
                    Optional.of("why"))));
    Schedule read = ScheduleText.read(schedule.entry());
    assertThat(ScheduleText.write(read)).isEqualTo(ScheduleText.write(schedule));
    assertThat(read).usingRecursiveComparison().ignoringFields("spec").isEqualTo(schedule);
  }

  @Test
  void text_ofANewerVersion_isRefusedWithTheRemedy() {
    Entry entry = new Entry("n", "{\"version\": 2}", Optional.empty());
    assertThatThrownBy(() -> ScheduleText.read(entry))
        .isInstanceOf(StoreIncompatibleException.class)
        .hasMessageContaining("'n'")
        .hasMessageContaining("newer version");
  }

  record Report(String tenant) {}

  @Test
  void typedTask_bringsItsGroupsAndTimeout() {
    Task<Report> task =
        Task.named("report", Report.class)
            .maxConcurrentPer("tenant", Report::tenant, 2)
            .timeout(Duration.ofMinutes(3))
            .build();
    ScheduleSpec spec = ScheduleSpec.cron("nightly", task, new Report("acme"), "0 3 * * *");
    assertThat(spec.groups()).containsExactly(Group.of("report").dimension("tenant", "acme"));
    assertThat(spec.timeout()).contains(Duration.ofMinutes(3));
  }

  @Test
  void jobIds_areOfTheOccurrenceAndSortByTime() {
    Instant noon = Instant.parse("2027-01-10T12:00:00Z");
    UUID first = ScheduledJobs.id(noon, "a");
    assertThat(ScheduledJobs.id(noon, "a")).isEqualTo(first);
    assertThat(ScheduledJobs.id(noon, "b")).isNotEqualTo(first);
    assertThat(first.version()).isEqualTo(7);
    assertThat(first.variant()).isEqualTo(2);
    assertThat(List.of(ScheduledJobs.id(noon.plusSeconds(1), "a"), first))
        .isSortedAccordingTo((a, b) -> b.toString().compareTo(a.toString()));
  }
}
