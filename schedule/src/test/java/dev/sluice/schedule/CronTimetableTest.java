package dev.sluice.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronTimetableTest {
  private static final String BERLIN = "Europe/Berlin";

  private static CronTimetable table(String expression, String zone) {
    return new CronTimetable("test", new Timing.Cron(expression, ZoneId.of(zone)));
  }

  private static List<String> upcoming(String expression, String zone, String after, int most) {
    return table(expression, zone).upcoming(Instant.parse(after), most).stream()
        .map(Instant::toString)
        .toList();
  }

  @Test
  void fiveFields_areThoseOfUnix() {
    assertThat(upcoming("0 3 * * *", "UTC", "2026-11-17T03:00:00Z", 2))
        .containsExactly("2026-11-18T03:00:00Z", "2026-11-19T03:00:00Z");
    assertThat(upcoming("0 9 * * MON-FRI", "UTC", "2026-11-20T09:00:00Z", 2))
        .containsExactly("2026-11-23T09:00:00Z", "2026-11-24T09:00:00Z");
    assertThat(upcoming("0 0 13 * 5", "UTC", "2026-11-17T00:00:00Z", 3))
        .as("either day matches")
        .containsExactly("2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z");
  }

  @Test
  void sixFields_haveSecondsInFront() {
    assertThat(upcoming("*/20 * * * * *", "UTC", "2026-11-17T03:00:00.5Z", 3))
        .containsExactly("2026-11-17T03:00:20Z", "2026-11-17T03:00:40Z", "2026-11-17T03:01:00Z");
    assertThat(upcoming("0 0 0 13 * 5", "UTC", "2026-11-17T00:00:00Z", 1))
        .as("both days match")
        .containsExactly("2027-08-13T00:00:00Z");
    assertThat(upcoming("0 0 12 L * *", "UTC", "2027-02-01T00:00:00Z", 1))
        .containsExactly("2027-02-28T12:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(strings = {"@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@DAILY"})
  void nickname_isKnown(String nickname) {
    assertThat(upcoming(nickname, "UTC", "2026-11-17T03:00:00Z", 3)).hasSize(3);
  }

  @Test
  void zone_decidesWhoseClock() {
    assertThat(upcoming("0 3 * * *", BERLIN, "2027-01-10T00:00:00Z", 1))
        .containsExactly("2027-01-10T02:00:00Z");
    assertThat(upcoming("0 3 * * *", BERLIN, "2027-07-10T00:00:00Z", 1))
        .containsExactly("2027-07-10T01:00:00Z");
  }

  @Test
  void clockJumpsForward_readingLeftOutCountsWhenItJumps() {
    assertThat(upcoming("30 2 * * *", BERLIN, "2027-03-27T00:00:00Z", 3))
        .containsExactly("2027-03-27T01:30:00Z", "2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z");
  }

  @Test
  void clockJumpsForward_severalReadingsLeftOutCountOnce() {
    assertThat(upcoming("0,30 2-3 * * *", BERLIN, "2027-03-28T00:00:00Z", 3))
        .containsExactly("2027-03-28T01:00:00Z", "2027-03-28T01:30:00Z", "2027-03-29T00:00:00Z");
  }

  @Test
  void clockJumpsForward_everyHourGoesOnWithTime() {
    assertThat(upcoming("30 * * * *", BERLIN, "2027-03-28T00:00:00Z", 3))
        .containsExactly("2027-03-28T00:30:00Z", "2027-03-28T01:30:00Z", "2027-03-28T02:30:00Z");
  }

  @Test
  void clockIsSetBack_readingThatComesTwiceCountsOnce() {
    assertThat(upcoming("30 2 * * *", BERLIN, "2027-10-30T12:00:00Z", 2))
        .containsExactly("2027-10-31T00:30:00Z", "2027-11-01T01:30:00Z");
    assertThat(upcoming("30 2 * * *", BERLIN, "2027-10-31T01:10:00Z", 1))
        .as("asked between the two")
        .containsExactly("2027-11-01T01:30:00Z");
  }

  @Test
  void clockIsSetBack_everyHourGoesOnWithTime() {
    assertThat(upcoming("30 * * * *", BERLIN, "2027-10-31T00:00:00Z", 4))
        .containsExactly(
            "2027-10-31T00:30:00Z",
            "2027-10-31T01:30:00Z",
            "2027-10-31T02:30:00Z",
            "2027-10-31T03:30:00Z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "61 * * * *|minute '61'",
        "* 25 * * *|hour '25'",
        "* * 32 * *|day of month '32'",
        "* * * 13 *|month '13'",
        "* * * * 8|day of week '8'",
        "99 * * * * *|second '99'",
        "* * * FOO *|month 'FOO'",
        "* * * *|has 4 fields",
        "0 0 0 1 1 ? 2027|has 7 fields",
        "0 0 30 2 *|never matches",
        "0 0 31 4,6 *|never matches",
        "nonsense|has 1 fields"
      })
  void wrongExpression_isRefusedWithTheFieldAtFault(String expression, String complaint) {
    assertThatThrownBy(() -> ScheduleSpec.cron("nightly", "report", expression))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'nightly'")
        .hasMessageContaining(complaint);
  }

  @Test
  void unknownZone_isRefusedWithASuggestion() {
    assertThatThrownBy(() -> ScheduleSpec.cron("a", "t", "0 3 * * *").zone("Europa/Berlin"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'Europa/Berlin'")
        .hasMessageContaining("Europe/Berlin");
  }

  /** Through both changes of clocks, in zones whose clocks jump oddly. */
  @ParameterizedTest
  @ValueSource(strings = {"UTC", BERLIN, "America/New_York", "Australia/Lord_Howe"})
  void latest_agreesWithGoingForward(String zone) {
    for (String start : List.of("2027-03-10T00:00:00Z", "2027-10-01T00:00:00Z")) {
      for (String expression : List.of("*/37 * * * *", "15 2 * * *", "30 1,2 * * 0")) {
        CronTimetable table = table(expression, zone);
        Instant known = table.after(Instant.parse(start)).orElseThrow();
        Instant end = known.plus(Duration.ofDays(40));
        Instant forward = known;
        for (Instant now = known; now.isBefore(end); now = now.plus(Duration.ofHours(11))) {
          Instant next = table.after(forward).orElseThrow();
          while (!next.isAfter(now)) {
            assertThat(next).isAfter(forward);
            forward = next;
            next = table.after(forward).orElseThrow();
          }
          assertThat(table.latest(known, now)).isEqualTo(forward);
        }
        assertThat(forward).isAfter(known);
      }
    }
  }

  @Test
  void latest_yearsOfASecondlySchedule_isFoundAtOnce() {
    CronTimetable table = table("* * * * * *", BERLIN);
    Instant now = Instant.parse("2036-11-17T03:00:00.5Z");
    assertThat(table.latest(Instant.parse("2026-01-01T00:00:00Z"), now))
        .isEqualTo(Instant.parse("2036-11-17T03:00:00Z"));
  }
}
