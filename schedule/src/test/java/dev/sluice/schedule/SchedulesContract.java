package dev.sluice.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.schedule.ScheduleInfo.Outcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.ScheduleStore.Entry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What schedules do on any store; occurrences are made due by hand. */
abstract class SchedulesContract {
  static final Task<JsonNode> REPORT = Task.named("report", JsonNode.class).build();

  Stage stage;
  Sluice sluice;
  JobStore store;
  Schedules schedules;

  abstract String url();

  @BeforeEach
  void open() {
    stage = new Stage(url());
    sluice = stage.open();
    store = sluice.store();
    schedules = Schedules.on(sluice);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private static ScheduleSpec hourly(String name) {
    return ScheduleSpec.cron(name, "report", "0 * * * *");
  }

  private List<JobInfo> jobs() {
    return Stage.jobs(sluice, "report");
  }

  private ScheduleInfo get(String name) {
    return schedules.get(name).orElseThrow();
  }

  /** An occurrence of {@link #hourly}: the latest but this many. */
  private Instant hours(String name, int before) {
    return Stage.now(store, name).truncatedTo(ChronoUnit.HOURS).minus(before, ChronoUnit.HOURS);
  }

  @Test
  void create_isOnRecordWithItsNextOccurrence() {
    schedules.create(hourly("a").payload(Map.of("kind", "sales")).queue("slow").priority(3));
    ScheduleInfo info = get("a");
    assertThat(info.next()).contains(hours("a", -1));
    assertThat(info.source()).isEqualTo("operator");
    assertThat(info.paused()).isFalse();
    assertThat(info.last()).isEmpty();
    assertThat(info.spec().payload()).hasToString("{\"kind\":\"sales\"}");
    assertThat(Duration.between(info.createdAt(), Stage.now(store, "a")))
        .isBetween(Duration.ZERO, Duration.ofMinutes(1));
    assertThat(schedules.list()).extracting(ScheduleInfo::name).containsExactly("a");
    assertThat(schedules.upcoming("a", 2)).containsExactly(hours("a", -1), hours("a", -2));
  }

  @Test
  void taskByNameWithAPointerOnRecord_jobsAreInTheGroup() {
    Group tenant = Group.of("report").anyValueOf("tenant");
    Group region = Group.of("report").anyValueOf("region");
    sluice.concurrency().setLimit(tenant, 2, "/tenant");
    schedules.create(
        hourly("a")
            .payload(Map.of("tenant", "acme"))
            .per("tenant", "what the payload does not say")
            .per("region", "eu"));
    Stage.rewind(store, "a", hours("a", 0));

    Stage.look(store);
    schedules.trigger("a");

    assertThat(jobs()).hasSize(2);
    for (JobInfo job : jobs()) {
      assertThat(job.spec().groups())
          .containsExactlyInAnyOrder(
              Group.of("report"),
              ScheduleSpec.GROUP.key("a"),
              tenant.value("acme"),
              region.value("eu"));
    }
  }

  @Test
  void valueThatIsNoGroup_isRefusedAndNoted() {
    sluice.concurrency().setLimit(Group.of("report").anyValueOf("tenant"), 2, "/tenant");
    schedules.create(hourly("a").payload(Map.of("tenant", "x".repeat(600))));
    Stage.rewind(store, "a", hours("a", 0));

    Stage.look(store);

    assertThat(get("a").last().orElseThrow().outcome()).isEqualTo(ScheduleInfo.Outcome.REFUSED);
    assertThat(get("a").last().orElseThrow().message().orElseThrow()).contains("600 characters");
  }

  @Test
  void create_nameTaken_isRefused() {
    schedules.create(hourly("a"));
    assertThatThrownBy(() -> schedules.create(hourly("a")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'a' already");
  }

  @Test
  void creatorDiesHalfway_schedulerSetsItGoing() {
    Schedule schedule = Schedule.create(ScheduleJson.parse("a", json(hourly("a"))), "operator");
    assertThat(store.schedules().create(schedule.entry())).isTrue();
    Stage.look(store);
    assertThat(store.schedules().get("a").orElseThrow().entry().next()).contains(hours("a", -1));
    assertThat(jobs()).isEmpty();
  }

  private static JsonNode json(ScheduleSpec spec) {
    return ScheduleJson.spec(spec);
  }

  @Test
  void unknownName_isRefusedWithTheRemedy() {
    assertThatThrownBy(() -> schedules.pause("none"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'none'")
        .hasMessageContaining("schedule list");
    assertThat(schedules.get("none")).isEmpty();
    assertThat(schedules.delete("none")).isFalse();
  }

  @Test
  void due_jobIsSubmittedWithWhatTheScheduleSays() {
    schedules.create(
        hourly("a")
            .payload(Map.of("kind", "sales"))
            .queue("slow")
            .priority(3)
            .timeout(Duration.ofMinutes(9)));
    Instant due = hours("a", 0);
    Stage.rewind(store, "a", due);
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    JobInfo job = jobs().get(0);
    assertThat(job.spec().queue()).isEqualTo("slow");
    assertThat(job.spec().priority()).isEqualTo(3);
    assertThat(job.spec().payload().replace(" ", "")).isEqualTo("{\"kind\":\"sales\"}");
    assertThat(job.spec().groups()).contains(Group.of("schedules").key("a"));
    assertThat(job.spec().schedule().timeout()).contains(Duration.ofMinutes(9));
    assertThat(sluice.concurrency().status(Group.of("schedules").key("a")).limit()).hasValue(1);
    assertThat(get("a").last().orElseThrow().job()).contains(job.id());
    assertThat(get("a").last().orElseThrow().occurrence()).isEqualTo(due);
    assertThat(get("a").next()).contains(hours("a", -1));
  }

  @Test
  void diesBetweenSubmitAndNote_nextOneDoesNotSubmitAgain() {
    schedules.create(hourly("a"));
    Stage.rewind(store, "a", hours("a", 0));
    assertThatThrownBy(() -> Stage.look(FailingJobStore.of(store, "submit"::equals)))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(jobs()).hasSize(1);
    assertThat(get("a").last()).isEmpty();
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    assertThat(get("a").last().orElseThrow().job()).contains(jobs().get(0).id());
    assertThat(get("a").next()).contains(hours("a", -1));
  }

  @Test
  void jobHasRunBeforeTheNote_nextOneDoesNotSubmitAgain() {
    schedules.create(hourly("a"));
    Stage.rewind(store, "a", hours("a", 0));
    assertThatThrownBy(() -> Stage.look(FailingJobStore.of(store, "submit"::equals)))
        .isInstanceOf(StoreUnavailableException.class);
    stage.closing(sluice.worker().handle(REPORT, (payload, context) -> {}).start());
    Stage.await().until(() -> jobs().get(0).state() == JobState.SUCCEEDED);
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    assertThat(get("a").next()).contains(hours("a", -1));
  }

  @Test
  void longDowntime_runOnce_isOneJob() {
    schedules.create(hourly("a"));
    Stage.rewind(store, "a", hours("a", 1_000));
    Stage.look(store);
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    assertThat(get("a").last().orElseThrow().occurrence()).isEqualTo(hours("a", 0));
    assertThat(get("a").next()).contains(hours("a", -1));
  }

  @Test
  void longDowntime_skip_isNoJob() {
    // Due once a year, so that the latest occurrence is long gone whenever this runs.
    Instant longAgo = Instant.now().minus(Duration.ofDays(30));
    ScheduleSpec spec = ScheduleSpec.every("a", "report", Duration.ofDays(365)).anchor(longAgo);
    schedules.create(spec.misfire(Misfire.SKIP));
    Stage.rewind(store, "a", Instant.ofEpochMilli(longAgo.toEpochMilli()));
    Stage.look(store);
    assertThat(jobs()).isEmpty();
    assertThat(get("a").last().orElseThrow().outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(get("a").next().orElseThrow()).isAfter(Stage.now(store, "a"));
  }

  @Test
  void diesBetweenSubmitAndNote_skip_notesTheJobAndNotASkip() {
    Instant longAgo = Instant.now().minus(Duration.ofDays(30));
    ScheduleSpec spec = ScheduleSpec.every("a", "report", Duration.ofDays(365)).anchor(longAgo);
    schedules.create(spec);
    Stage.rewind(store, "a", Instant.ofEpochMilli(longAgo.toEpochMilli()));
    assertThatThrownBy(() -> Stage.look(FailingJobStore.of(store, "submit"::equals)))
        .isInstanceOf(StoreUnavailableException.class);
    schedules.update(spec.misfire(Misfire.SKIP));
    Stage.look(store);
    assertThat(get("a").last().orElseThrow().outcome()).isEqualTo(Outcome.SUBMITTED);
    assertThat(get("a").last().orElseThrow().job()).contains(jobs().get(0).id());
    assertThat(get("a").next().orElseThrow()).isAfter(Stage.now(store, "a"));
  }

  @Test
  void diesBetweenSubmitAndNote_overlapSkip_laterOccurrenceSeesTheJob() {
    ScheduleSpec spec = hourly("a").overlap(Overlap.SKIP);
    schedules.create(spec);
    // Of two submitters one looked before the last full hour, and died.
    Instant first = hours("a", 1);
    Stage.rewind(store, "a", first);
    Schedule read = ScheduleText.read(store.schedules().get("a").orElseThrow().entry());
    store.submit(List.of(ScheduledJobs.of(read, first, true)));
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    assertThat(get("a").last().orElseThrow().outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(get("a").last().orElseThrow().job()).contains(jobs().get(0).id());
  }

  @Test
  void paused_nothingIsSubmitted_resumed_oneIs() {
    schedules.create(hourly("a"));
    Stage.rewind(store, "a", hours("a", 5));
    assertThat(schedules.pause("a").paused()).isTrue();
    assertThat(schedules.pause("a").next()).isEmpty();
    Stage.look(store);
    assertThat(jobs()).isEmpty();
    assertThat(schedules.resume("a").next()).contains(hours("a", 0));
    Stage.look(store);
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    assertThat(schedules.resume("a").next()).contains(hours("a", -1));
  }

  @Test
  void resumed_skip_goesOnInTheFuture() {
    schedules.create(hourly("a").misfire(Misfire.SKIP));
    Stage.rewind(store, "a", hours("a", 5));
    schedules.pause("a");
    assertThat(schedules.resume("a").next()).contains(hours("a", -1));
    Stage.look(store);
    assertThat(jobs()).isEmpty();
  }

  @Test
  void deletedAndCreatedAgain_theSameMomentIsAnotherOccurrence() {
    schedules.create(hourly("a"));
    Instant due = hours("a", 0);
    Stage.rewind(store, "a", due);
    Stage.look(store);
    assertThat(schedules.delete("a")).isTrue();
    assertThat(schedules.get("a")).isEmpty();
    schedules.create(hourly("a"));
    assertThat(get("a").last()).isEmpty();
    Stage.rewind(store, "a", due);
    Stage.look(store);
    assertThat(jobs()).hasSize(2);
  }

  @Test
  void overlapSkip_unfinishedJob_leavesOccurrenceOut() {
    schedules.create(hourly("a").overlap(Overlap.SKIP));
    Stage.rewind(store, "a", hours("a", 1));
    Stage.look(store);
    Stage.rewind(store, "a", hours("a", 0));
    Stage.rewind(store, "a", hours("a", 0).plusMillis(1));
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    assertThat(get("a").last().orElseThrow().outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(get("a").last().orElseThrow().job()).contains(jobs().get(0).id());
    sluice.jobs().cancel(jobs().get(0).id());
    Stage.rewind(store, "a", hours("a", 0).plusMillis(2));
    Stage.look(store);
    assertThat(jobs()).hasSize(2);
  }

  @Test
  void overlapAllow_jobsRunSideBySide() throws InterruptedException {
    schedules.create(hourly("a").overlap(Overlap.ALLOW));
    CountDownLatch both = new CountDownLatch(2);
    stage.closing(
        sluice
            .worker()
            .handle(
                REPORT,
                (payload, context) -> {
                  both.countDown();
                  both.await();
                })
            .start());
    schedules.trigger("a");
    schedules.trigger("a");
    assertThat(both.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void trigger_submitsNow_underTheSameLimit_andMovesNothing() {
    schedules.create(hourly("a"));
    Optional<Instant> next = get("a").next();
    schedules.pause("a");
    assertThat(schedules.trigger("a")).isInstanceOf(Submission.Submitted.class);
    assertThat(schedules.trigger("a")).isInstanceOf(Submission.Submitted.class);
    assertThat(jobs()).hasSize(2);
    assertThat(jobs())
        .allSatisfy(
            job -> assertThat(job.spec().groups()).contains(Group.of("schedules").key("a")));
    assertThat(schedules.resume("a").next()).isEqualTo(next);
  }

  @Test
  void trigger_isTheLastJob_andOverlapSkipSeesIt() {
    schedules.create(hourly("a").overlap(Overlap.SKIP));
    Submission triggered = schedules.trigger("a");
    ScheduleInfo.Last last = get("a").last().orElseThrow();
    assertThat(last.job()).contains(triggered.id());
    assertThat(last.outcome()).isEqualTo(Outcome.SUBMITTED);
    assertThat(last.message()).contains("triggered by hand");
    Stage.rewind(store, "a", hours("a", 0));
    Stage.look(store);
    assertThat(jobs()).hasSize(1);
    assertThat(get("a").last().orElseThrow().outcome()).isEqualTo(Outcome.SKIPPED);
    assertThat(get("a").last().orElseThrow().job()).contains(triggered.id());
  }

  @Test
  void trigger_betweenSubmitAndNote_occurrenceIsNotedAsSubmitted() {
    schedules.create(hourly("a").overlap(Overlap.SKIP));
    Instant due = hours("a", 0);
    Stage.rewind(store, "a", due);
    assertThatThrownBy(() -> Stage.look(FailingJobStore.of(store, "submit"::equals)))
        .isInstanceOf(StoreUnavailableException.class);
    schedules.trigger("a");
    Stage.look(store);
    assertThat(jobs()).hasSize(2);
    assertThat(get("a").last().orElseThrow().occurrence()).isEqualTo(due);
    assertThat(get("a").last().orElseThrow().outcome()).isEqualTo(Outcome.SUBMITTED);
  }

  @Test
  void trigger_noteFails_jobIsAnsweredAllTheSame() {
    schedules.create(hourly("a"));
    JobStore failing = FailingJobStore.of(store, "replace"::equals);
    Schedules shaky = new Schedules(failing, sluice.mapper(), sluice.maxPayloadBytes());
    assertThat(shaky.trigger("a").id()).isEqualTo(jobs().get(0).id());
    assertThat(jobs()).hasSize(1);
  }

  @Test
  void update_sameTiming_goesOnWhereItWas() {
    schedules.create(ScheduleSpec.every("a", "report", Duration.ofHours(7)));
    Optional<Instant> next = get("a").next();
    schedules.pause("a");
    schedules.update(ScheduleSpec.every("a", "report", Duration.ofHours(7)).priority(9));
    assertThat(get("a").paused()).isTrue();
    assertThat(get("a").spec().priority()).isEqualTo(9);
    assertThat(schedules.resume("a").next()).isEqualTo(next);
  }

  @Test
  void update_otherTiming_beginsAnew() {
    schedules.create(ScheduleSpec.every("a", "report", Duration.ofHours(7)));
    schedules.update(hourly("a"));
    assertThat(get("a").next()).contains(hours("a", -1));
  }

  @Test
  void declare_createsChangesAndRemoves() {
    schedules.declare("code", List.of(hourly("a"), hourly("b"), hourly("c")));
    schedules.declare("config", List.of(hourly("d")));
    Declared again =
        schedules.declare("code", List.of(hourly("a"), hourly("b").priority(2), hourly("e")));
    assertThat(again)
        .isEqualTo(new Declared(List.of("e"), List.of("b"), List.of("c"), List.of("a"), List.of()));
    assertThat(schedules.list()).extracting(ScheduleInfo::name).containsExactly("a", "b", "d", "e");
    assertThat(get("b").spec().priority()).isEqualTo(2);
  }

  @Test
  void declare_leavesWhatAnOperatorDid() {
    schedules.declare(hourly("a"), hourly("b"), hourly("c"));
    schedules.pause("a");
    schedules.update(hourly("b").priority(5));
    schedules.declare("config", List.of(hourly("c").priority(6)));
    Declared declared = schedules.declare(hourly("a").priority(1), hourly("b"), hourly("c"));
    assertThat(declared.updated()).containsExactly("a");
    assertThat(declared.overruled()).containsExactly("b", "c");
    assertThat(get("a").paused()).isTrue();
    assertThat(get("a").spec().priority()).isEqualTo(1);
    assertThat(get("b").spec().priority()).isEqualTo(5);
    assertThat(schedules.declare().removed()).containsExactly("a");
  }

  @Test
  void declare_twiceTheSameName_isRefused() {
    assertThatThrownBy(() -> schedules.declare(hourly("a"), hourly("a")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'a' is declared twice");
    assertThat(schedules.list()).isEmpty();
  }

  @Test
  void damagedSchedule_doesNotKeepOthersWaiting() {
    store.schedules().create(new Entry("bad", "{}", Optional.of(Instant.EPOCH)));
    schedules.create(hourly("good"));
    Stage.rewind(store, "good", hours("good", 0));
    stage.closing(schedules.start(Duration.ofMillis(50)));
    Stage.await().until(() -> jobs().size() == 1);
    assertThat(schedules.delete("bad")).isTrue();
  }

  @Test
  void moreDamagedSchedulesThanALookTakes_doNotKeepOthersWaiting() {
    for (int i = 0; i < 250; i++) {
      store.schedules().create(new Entry("bad-" + i, "{}", Optional.of(Instant.EPOCH)));
    }
    schedules.create(hourly("good"));
    Stage.rewind(store, "good", hours("good", 0));
    stage.closing(schedules.start(Duration.ofMillis(50)));
    Stage.await().until(() -> jobs().size() == 1);
  }

  @Test
  void payloadTooLarge_isRefusedAtCreate() {
    assertThatThrownBy(
            () -> schedules.create(hourly("a").payload("x".repeat(sluice.maxPayloadBytes()))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'a'");
  }
}
