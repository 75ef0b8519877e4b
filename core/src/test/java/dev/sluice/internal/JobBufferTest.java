package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.ClaimedJob.NamedSlot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class JobBufferTest {
  private static final long PATIENCE = JobBuffer.PATIENCE.toNanos();

  private final JobBuffer buffer = new JobBuffer();

  private static ClaimedJob job(String task, boolean counted, String... gates) {
    return new ClaimedJob(
        UUID.randomUUID(),
        1,
        task,
        new ClaimedJob.Run(1, counted, Optional.empty(), Duration.ZERO, Optional.empty()),
        List.of(gates),
        "{}");
  }

  private static ClaimedJob naming(String task, int slot) {
    ClaimedJob job = job(task, false);
    List<NamedSlot> named = List.of(new NamedSlot("k", slot));
    ClaimedJob.Bond bond = new ClaimedJob.Bond(List.of(), named, List.of(), false, List.of());
    return new ClaimedJob(job.id(), 1, task, job.run(), bond, "{}");
  }

  private ClaimedJob add(ClaimedJob job, long now) {
    buffer.add(job, now, 0);
    return job;
  }

  private List<ClaimedJob> take(long now) {
    return take(() -> true, job -> Optional.empty(), now);
  }

  private List<ClaimedJob> take(
      BooleanSupplier anyRoom, Function<ClaimedJob, Optional<String>> start, long now) {
    return buffer.takeStartable(anyRoom, start, now).stream().map(JobBuffer.Entry::job).toList();
  }

  private static Optional<String> refusal(ClaimedJob job, String full) {
    return job.gates().contains(full) ? Optional.of(full) : Optional.empty();
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
        take(
            () -> true,
            job -> {
              looks.incrementAndGet();
              return refusal(job, "full");
            },
            0);

    assertThat(taken).containsExactly(other);
    assertThat(looks).hasValue(2);
    assertThat(buffer.size()).isEqualTo(100);
  }

  @Test
  void takeStartable_lanesBehindOneObstacle_areLookedAtOnceAndGoOnInOrder() {
    List<ClaimedJob> jobs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      jobs.add(add(job("t", false, "full", "key-" + i), 0));
    }
    take(() -> true, job -> refusal(job, "full"), 0);

    AtomicInteger looks = new AtomicInteger();
    List<ClaimedJob> taken =
        take(
            () -> true,
            job -> {
              boolean room = looks.getAndIncrement() < 3;
              return room ? Optional.empty() : Optional.of("full");
            },
            0);
    assertThat(taken).isEqualTo(jobs.subList(0, 3));
    assertThat(looks).hasValue(4);
    assertThat(take(0)).isEqualTo(jobs.subList(3, 100));
    assertThat(buffer.size()).isZero();
  }

  @Test
  void takeStartable_hundredJobsBehindOneBusySlot_costOneLook() {
    SlotLedger ledger = new SlotLedger();
    List<ClaimedJob> jobs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      // Some in the lane of others, some in lanes of their own.
      jobs.add(add(naming("t" + i % 10, 7), 0));
    }
    ClaimedJob other = add(naming("t0", 8), 0);
    ledger.tryEnter(jobs.get(0).bond().held());
    AtomicInteger looks = new AtomicInteger();
    Function<ClaimedJob, Optional<String>> start =
        job -> {
          looks.incrementAndGet();
          return ledger.tryEnter(job.bond().held());
        };

    assertThat(take(() -> true, start, 0)).as("in another slot").containsExactly(other);
    assertThat(looks).as("each lane and the other").hasValue(10 + 1);
    looks.set(0);
    assertThat(take(() -> true, start, 0)).isEmpty();
    assertThat(looks).as("all behind the one slot").hasValue(1);

    ledger.leave(jobs.get(0).bond().held());
    assertThat(take(() -> true, start, 0)).containsExactly(jobs.get(0));
    ledger.leave(jobs.get(0).bond().held());
    assertThat(take(() -> true, start, 0)).containsExactly(jobs.get(1));
  }

  @Test
  void takeStartable_sameTaskOtherSlot_overtakesTheBusyOne() {
    ClaimedJob busy = add(naming("t", 0), 0);
    ClaimedJob free = add(naming("t", 1), 0);
    ClaimedJob gated = add(job("t", false, "k"), 0);

    assertThat(take(() -> true, job -> job == busy ? Optional.of("k*0") : Optional.empty(), 0))
        .containsExactly(free, gated);
  }

  @Test
  void takeStartable_firstBehindAnObstacleMeetsAnother_theNextTakesOver() {
    ClaimedJob first = add(job("t", false, "a", "b"), 0);
    ClaimedJob second = add(job("t", false, "a"), 0);
    ClaimedJob third = add(job("t", false, "a", "c"), 0);
    assertThat(take(() -> true, job -> refusal(job, "a"), 0)).isEmpty();

    assertThat(take(() -> true, job -> refusal(job, "b"), 0)).containsExactly(second, third);
    assertThat(take(0)).containsExactly(first);
  }

  @Test
  void removeIf_firstBehindAnObstacle_theNextTakesOver() {
    ClaimedJob first = add(job("t", false, "a", "b"), 0);
    ClaimedJob second = add(job("t", false, "a", "c"), 0);
    take(() -> true, job -> refusal(job, "a"), 0);

    assertThat(buffer.removeIf(job -> job == first)).containsExactly(first);
    assertThat(take(0)).containsExactly(second);
  }

  @Test
  void takeStartable_manyJobsAndObstacles_startsExactlyWhatHasRoomInOrder() {
    Random random = new Random(7);
    List<ClaimedJob> waiting = new ArrayList<>();
    for (int step = 0; step < 3_000; step++) {
      if (random.nextInt(3) > 0) {
        waiting.add(
            add(
                job(
                    "t" + random.nextInt(3),
                    false,
                    "a" + random.nextInt(4),
                    "b" + random.nextInt(50)),
                step));
      } else if (random.nextInt(10) == 0) {
        ClaimedJob unwanted =
            waiting.isEmpty() ? null : waiting.get(random.nextInt(waiting.size()));
        assertThat(buffer.removeIf(job -> job == unwanted)).hasSize(unwanted == null ? 0 : 1);
        waiting.remove(unwanted);
      } else {
        Set<String> full =
            Set.of(
                "a" + random.nextInt(4), "a" + random.nextInt(4) + "x", "b" + random.nextInt(50));
        Function<ClaimedJob, Optional<String>> start =
            job -> job.gates().stream().filter(full::contains).findFirst();
        List<ClaimedJob> expected =
            waiting.stream().filter(job -> start.apply(job).isEmpty()).toList();
        assertThat(take(() -> true, start, step)).isEqualTo(expected);
        waiting.removeAll(expected);
      }
      assertThat(buffer.size()).isEqualTo(waiting.size());
    }
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

    assertThat(take(() -> false, job -> Optional.empty(), 0)).isEmpty();
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
    take(
        () -> true,
        job -> once.getAndIncrement() == 0 ? Optional.empty() : Optional.of("a"),
        PATIENCE - 1);

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
