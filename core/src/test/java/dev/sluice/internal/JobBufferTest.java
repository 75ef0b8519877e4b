package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class JobBufferTest {
  private static final long PATIENCE = JobBuffer.PATIENCE.toNanos();

  private final JobBuffer buffer = new JobBuffer();

  private static ClaimedJob job(String task, boolean counted, String... gates) {
    return new ClaimedJob(
        UUID.randomUUID(),
        1,
        task,
        new ClaimedJob.Run(1, counted, Optional.empty()),
        List.of(gates),
        "{}");
  }

  private ClaimedJob add(ClaimedJob job, long now) {
    buffer.add(job, now);
    return job;
  }

  private List<ClaimedJob> take(long now) {
    return buffer.takeStartable(() -> true, job -> true, now);
  }

  @Test
  void takeStartable_allMayStart_keepsTheOrderOfClaimsAcrossLanes() {
    ClaimedJob first = add(job("t", false, "a"), 0);
    ClaimedJob second = add(job("t", false, "b"), 0);
    ClaimedJob third = add(job("t", false, "a"), 0);

    assertThat(take(0)).containsExactly(first, second, third);
    assertThat(buffer.size()).isZero();
    assertThat(buffer.size("t")).isZero();
  }

  @Test
  void takeStartable_laneBlocked_othersOvertakeAndTheLaneIsLookedAtOnce() {
    for (int i = 0; i < 100; i++) {
      add(job("t", false, "full"), 0);
    }
    ClaimedJob other = add(job("t", false, "free"), 0);
    AtomicInteger looks = new AtomicInteger();

    List<ClaimedJob> taken =
        buffer.takeStartable(
            () -> true,
            job -> {
              looks.incrementAndGet();
              return job.gates().contains("free");
            },
            0);

    assertThat(taken).containsExactly(other);
    assertThat(looks).hasValue(2);
    assertThat(buffer.size()).isEqualTo(100);
  }

  @Test
  void takeStartable_countedJob_goesBeforeBufferedOnes() {
    ClaimedJob buffered = add(job("quick", false), 0);
    ClaimedJob counted = add(job("slow", true), 0);
    ClaimedJob countedOfSameLane = add(job("quick", true), 0);

    assertThat(take(0)).containsExactly(counted, countedOfSameLane, buffered);
  }

  @Test
  void takeStartable_noRoom_takesNothing() {
    add(job("t", false), 0);

    assertThat(buffer.takeStartable(() -> false, job -> true, 0)).isEmpty();
    assertThat(buffer.size("t")).isEqualTo(1);
  }

  @Test
  void removeStalled_laneThatStandsStill_isHandedBackWhole() {
    ClaimedJob first = add(job("t", false, "a"), 0);
    ClaimedJob second = add(job("t", false, "a"), 10);
    add(job("t", false, "b"), PATIENCE - 1);

    assertThat(buffer.untilStalled(1)).isEqualTo(PATIENCE - 1);
    assertThat(buffer.removeStalled(PATIENCE - 1)).isEmpty();
    assertThat(buffer.removeStalled(PATIENCE)).containsExactly(first, second);
    assertThat(buffer.size()).isEqualTo(1);
  }

  @Test
  void removeStalled_laneThatMoves_isLeftUntilItsJobsAreTooOld() {
    add(job("t", false, "a"), 0);
    ClaimedJob second = add(job("t", false, "a"), 0);
    AtomicInteger once = new AtomicInteger();
    buffer.takeStartable(() -> true, job -> once.getAndIncrement() == 0, PATIENCE - 1);

    assertThat(buffer.removeStalled(PATIENCE + 1)).isEmpty();
    assertThat(buffer.removeStalled(JobBuffer.LONGEST_STAY.toNanos())).containsExactly(second);
  }

  @Test
  void removeIf_firstOfALane_leavesTheOthersInOrder() {
    ClaimedJob first = add(job("t", false, "a"), 0);
    ClaimedJob second = add(job("t", false, "b"), 0);
    ClaimedJob third = add(job("t", false, "a"), 0);

    assertThat(buffer.removeIf(job -> job == first)).containsExactly(first);
    assertThat(take(0)).containsExactly(second, third);
  }

  @Test
  void untilStalled_empty_isForever() {
    assertThat(buffer.untilStalled(0)).isGreaterThan(Duration.ofDays(365).toNanos());
  }
}
