package dev.sluice.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.schedule.Timetable.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimetableTest {
  private static final Instant NOON = Instant.parse("2027-01-10T12:00:00Z");

  private static Timetable every(Duration interval) {
    return ScheduleSpec.every("poll", "poll", interval).timetable(NOON);
  }

  private static Timetable daily() {
    return ScheduleSpec.cron("daily", "report", "0 12 * * *").timetable(NOON);
  }

  @Test
  void interval_isCountedFromItsAnchor() {
    Timetable table = every(Duration.ofMinutes(7));
    assertThat(table.after(NOON)).contains(NOON.plusSeconds(420));
    assertThat(table.after(NOON.plusSeconds(419))).contains(NOON.plusSeconds(420));
    assertThat(table.after(NOON.plusSeconds(420))).contains(NOON.plusSeconds(840));
    assertThat(table.latest(NOON, NOON.plusSeconds(10_000))).isEqualTo(NOON.plusSeconds(9_660));
  }

  @Test
  void interval_givenAnchorPrevails() {
    ScheduleSpec spec =
        ScheduleSpec.every("poll", "poll", Duration.ofHours(1)).anchor(NOON.plusSeconds(90));
    assertThat(spec.timetable(NOON).after(NOON)).contains(NOON.plusSeconds(90));
    assertThat(spec.upcoming(NOON, 2))
        .containsExactly(NOON.plusSeconds(90), NOON.plusSeconds(3_690));
  }

  @Test
  void interval_belowASecondIsRefused() {
    assertThatThrownBy(() -> ScheduleSpec.every("poll", "poll", Duration.ofMillis(999)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'poll'")
        .hasMessageContaining("999ms")
        .hasMessageContaining("at least 1s");
  }

  @Test
  void notDue_nothingToDo() {
    assertThat(daily().due(NOON, NOON.minusSeconds(1), Misfire.RUN_ONCE))
        .isEqualTo(new Due(List.of(), Optional.empty(), Optional.of(NOON)));
  }

  @Test
  void due_runsAndGoesOn() {
    assertThat(daily().due(NOON, NOON, Misfire.SKIP))
        .isEqualTo(new Due(List.of(NOON), Optional.empty(), Optional.of(NOON.plusSeconds(86_400))));
  }

  @Test
  void slowWithinTheGrace_eachOccurrenceRuns() {
    assertThat(every(Duration.ofSeconds(10)).due(NOON, NOON.plusSeconds(25), Misfire.SKIP))
        .isEqualTo(
            new Due(
                List.of(NOON, NOON.plusSeconds(10), NOON.plusSeconds(20)),
                Optional.empty(),
                Optional.of(NOON.plusSeconds(30))));
  }

  @Test
  void missed_runOnceRunsTheLatest() {
    Instant now = NOON.plus(Duration.ofDays(3)).plusSeconds(7_200);
    assertThat(daily().due(NOON, now, Misfire.RUN_ONCE))
        .isEqualTo(
            new Due(
                List.of(NOON.plus(Duration.ofDays(3))),
                Optional.empty(),
                Optional.of(NOON.plus(Duration.ofDays(4)))));
  }

  @Test
  void missed_skipRunsNone() {
    Instant now = NOON.plus(Duration.ofDays(3)).plusSeconds(7_200);
    assertThat(daily().due(NOON, now, Misfire.SKIP))
        .isEqualTo(
            new Due(
                List.of(),
                Optional.of(NOON.plus(Duration.ofDays(3))),
                Optional.of(NOON.plus(Duration.ofDays(4)))));
  }

  @Test
  void missed_skipStillRunsWhatIsDueNow() {
    Instant now = NOON.plus(Duration.ofDays(3)).plusSeconds(30);
    assertThat(daily().due(NOON, now, Misfire.SKIP).run())
        .containsExactly(NOON.plus(Duration.ofDays(3)));
  }

  @Test
  void yearsOfDowntime_areOneJob() {
    Instant now = NOON.plus(Duration.ofDays(3_000)).plusMillis(500);
    Due due = every(Duration.ofSeconds(1)).due(NOON, now, Misfire.RUN_ONCE);
    assertThat(due.run()).containsExactly(NOON.plus(Duration.ofDays(3_000)));
    assertThat(due.next()).contains(NOON.plus(Duration.ofDays(3_000)).plusSeconds(1));
  }

  @Test
  void resume_nothingMissed_goesOnWhereItWas() {
    assertThat(daily().resume(NOON, NOON.minusSeconds(5), Misfire.RUN_ONCE)).contains(NOON);
  }

  @Test
  void resume_missed_runOnceHasOneDue() {
    Timetable table = every(Duration.ofSeconds(1));
    Instant now = NOON.plusSeconds(30);
    Optional<Instant> next = table.resume(NOON, now, Misfire.RUN_ONCE);
    assertThat(next).contains(now);
    assertThat(table.due(next.orElseThrow(), now, Misfire.RUN_ONCE).run()).containsExactly(now);
  }

  @Test
  void resume_missed_skipGoesOnInTheFuture() {
    assertThat(every(Duration.ofSeconds(10)).resume(NOON, NOON.plusSeconds(25), Misfire.SKIP))
        .contains(NOON.plusSeconds(30));
  }
}
