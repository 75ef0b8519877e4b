package dev.sluice.tck.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tck.LimitTimeline;
import dev.sluice.tck.OverlapMeter.Interval;
import dev.sluice.tck.chaos.ChaosEvent.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ChaosJudgeTest {
  private static final long LEASE_MS = 2_000;
  private static final UUID JOB = UUID.randomUUID();

  private final List<ChaosEvent> events = new ArrayList<>();
  private final List<ChaosFleet.Fate> fates = new ArrayList<>();
  private final LimitTimeline one = new LimitTimeline();
  private final long begin;

  ChaosJudgeTest() {
    one.change(1, () -> {});
    begin = System.nanoTime();
  }

  private long at(long millis) {
    return begin + Duration.ofMillis(millis).toNanos();
  }

  private void log(Kind kind, UUID job, long token, long millis, long pid) {
    log(kind, job, token, millis, pid, millis + LEASE_MS);
  }

  private void log(Kind kind, UUID job, long token, long millis, long pid, long until) {
    ChaosEvent.Lease lease = new ChaosEvent.Lease(pid, "worker-" + pid, at(until));
    events.add(new ChaosEvent(kind, job, token, "group", at(millis), lease));
  }

  private ChaosJudge judge() {
    return new ChaosJudge(events, fates);
  }

  private List<String> violations() {
    return judge().violations(Map.of("group", one), one);
  }

  private List<String> spanViolations() {
    return judge().spanViolations(Map.of("group", one), one);
  }

  @Test
  void overlap_isFound() {
    log(Kind.START, JOB, 1, 0, 10);
    log(Kind.END, JOB, 1, 50, 10);
    log(Kind.START, UUID.randomUUID(), 2, 60, 11);
    assertThat(violations()).isEmpty();

    log(Kind.START, UUID.randomUUID(), 3, 40, 11);
    assertThat(violations()).hasSize(2);
  }

  @Test
  void killedAttempt_endsWithTheKill() {
    log(Kind.START, JOB, 1, 0, 10);
    fates.add(new ChaosFleet.Fate(10, at(100), null));
    log(Kind.START, JOB, 2, 101, 11);
    assertThat(violations()).isEmpty();
    assertThat(judge().intervals().get("group")).extracting(Interval::end).contains(at(100));
  }

  @Test
  void frozenAttempt_holdsItsSlotWhileItsWorkerIsSureOfItsLease() {
    log(Kind.START, JOB, 1, 0, 10);
    log(Kind.INTERRUPT, JOB, 1, 4_010, 10, 4_010);
    fates.add(new ChaosFleet.Fate(10, at(10), at(4_000)));
    log(Kind.START, JOB, 2, LEASE_MS + 1, 11);
    assertThat(violations()).as("in its place, when the lease was over").isEmpty();

    log(Kind.START, UUID.randomUUID(), 3, LEASE_MS - 1, 12);
    assertThat(violations()).as("in its place, before").isNotEmpty();
  }

  @Test
  void startOfAWokenWorker_countsUnlessNoLeaseWasLeft() {
    fates.add(new ChaosFleet.Fate(10, at(10), at(4_000)));
    log(Kind.START, UUID.randomUUID(), 2, 3_000, 11);
    log(Kind.START, JOB, 1, 4_200, 10, 4_200);
    assertThat(violations()).as("frozen on its first step").isEmpty();

    log(Kind.START, UUID.randomUUID(), 3, 4_001, 10, 6_000);
    assertThat(violations()).as("sure of its lease").isNotEmpty();
  }

  @Test
  void overtakenAttempt_mustBeRefusedAndRunAgain() {
    log(Kind.START, JOB, 1, 0, 10);
    log(Kind.INTERRUPT, JOB, 1, 4_030, 10, 4_030);
    fates.add(new ChaosFleet.Fate(10, at(10), at(4_000)));
    assertThat(judge().harmDone()).as("it never ran again").hasSize(1);

    log(Kind.START, JOB, 2, 2_100, 11);
    log(Kind.END, JOB, 2, 2_120, 11);
    log(Kind.ACCEPTED, JOB, 2, 2_130, 11);
    assertThat(judge().harmDone()).isEmpty();
    assertThat(judge().overtakenAttempts()).isEqualTo(1);
    assertThat(judge().interruptLatencies()).containsExactly(Duration.ofMillis(30));

    log(Kind.ACCEPTED, JOB, 1, 4_040, 10, 4_040);
    assertThat(judge().harmDone()).as("the zombie's completion was accepted").isNotEmpty();
  }

  @Test
  void startAfterAcceptedSuccess_isFound() {
    log(Kind.START, JOB, 1, 0, 10);
    log(Kind.END, JOB, 1, 5, 10);
    log(Kind.ACCEPTED, JOB, 1, 6, 10);
    assertThat(judge().harmDone()).isEmpty();
    assertThat(judge().completed()).containsExactly(JOB);

    log(Kind.START, JOB, 2, 50, 11);
    assertThat(judge().harmDone()).hasSize(1);
  }

  @Test
  void jobBetweenTwoAttempts_isUnderWay() {
    log(Kind.START, JOB, 1, 0, 10);
    fates.add(new ChaosFleet.Fate(10, at(100), null));
    log(Kind.START, JOB, 2, 3_000, 11);
    log(Kind.END, JOB, 2, 3_010, 11);
    UUID next = UUID.randomUUID();
    log(Kind.START, next, 3, 3_020, 11);
    log(Kind.END, next, 3, 3_030, 11);
    assertThat(spanViolations()).isEmpty();

    UUID between = UUID.randomUUID();
    log(Kind.START, between, 4, 500, 12);
    log(Kind.END, between, 4, 510, 12);
    assertThat(violations()).as("no two handlers were at work at once").isEmpty();
    assertThat(spanViolations()).as("but two jobs were under way").hasSize(1);
  }

  @Test
  void jobThatDidNotEnd_isUnderWayForEver() {
    log(Kind.START, JOB, 1, 0, 10);
    log(Kind.INTERRUPT, JOB, 1, 50, 10);
    log(Kind.START, UUID.randomUUID(), 2, 60_000, 11);
    assertThat(violations()).isEmpty();
    assertThat(spanViolations()).hasSize(1);
  }

  @Test
  void lateStartOfAWokenWorker_doesNotProlongItsJob() {
    fates.add(new ChaosFleet.Fate(10, at(10), at(4_000)));
    log(Kind.START, JOB, 2, 3_000, 11);
    log(Kind.END, JOB, 2, 3_010, 11);
    log(Kind.START, JOB, 1, 4_001, 10, 4_001);
    log(Kind.INTERRUPT, JOB, 1, 4_020, 10, 4_020);
    log(Kind.START, UUID.randomUUID(), 3, 3_020, 12);
    assertThat(spanViolations()).isEmpty();
  }

  @Test
  void restart_hasToWaitForTheLeaseUnlessTheAttemptFailed() {
    log(Kind.START, JOB, 1, 0, 10);
    log(Kind.START, JOB, 2, LEASE_MS + 1, 11);
    assertThat(judge().hastyRestarts()).as("the lease was over").isEmpty();

    log(Kind.END, UUID.randomUUID(), 3, 1_000, 10);
    assertThat(judge().hastyRestarts()).as("the lease was renewed").hasSize(1);

    log(Kind.FAILURE, JOB, 1, 1_500, 10);
    assertThat(judge().hastyRestarts()).as("it had failed").isEmpty();
  }

  @Test
  void restart_afterAKill_isNotHasty() {
    log(Kind.START, JOB, 1, 0, 10);
    log(Kind.START, JOB, 2, 1_000, 11);
    fates.add(new ChaosFleet.Fate(10, at(1_100), null));
    assertThat(judge().hastyRestarts()).as("killed afterwards").hasSize(1);

    fates.set(0, new ChaosFleet.Fate(10, at(900), null));
    assertThat(judge().hastyRestarts()).isEmpty();

    log(Kind.START, JOB, 2, 9_000, 12);
    assertThat(judge().hastyRestarts()).as("a token is used once").hasSize(1);
  }
}
