package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobOutcome.Cancelled;
import dev.sluice.spi.JobOutcome.Failed;
import dev.sluice.spi.JobOutcome.Failure;
import dev.sluice.spi.JobOutcome.HandedBack;
import dev.sluice.spi.JobOutcome.Retry;
import dev.sluice.spi.JobOutcome.Succeeded;
import dev.sluice.spi.JobOutcome.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkerTallyTest {
  private static final Failure FAILURE = new Failure("E", "m", "");

  private static JobOutcome outcome(Verdict verdict, Duration ran) {
    return new JobOutcome(UUID.randomUUID(), 1, verdict, ran);
  }

  @Test
  void read_everyVerdict_isCountedUnderItsWord() {
    WorkerTally tally = new WorkerTally(List.of("a", "idle"), () -> 0);
    Duration second = Duration.ofSeconds(1);
    for (int i = 0; i < 6; i++) {
      tally.started("a");
    }
    tally.ended("a", outcome(new Succeeded(Optional.empty()), second));
    tally.ended("a", outcome(new Failed(FAILURE), second));
    tally.ended("a", outcome(new Retry(FAILURE, second), second));
    tally.ended("a", outcome(new Retry(FAILURE, second), second));
    tally.ended("a", outcome(new Cancelled(), second));
    tally.ended("a", outcome(new HandedBack(), second));

    Map<String, TaskTally> read = tally.read();

    assertThat(read).containsOnlyKeys("a");
    TaskTally counted = read.get("a");
    assertThat(counted.started()).isEqualTo(6);
    assertThat(counted.succeeded()).isEqualTo(1);
    assertThat(counted.failed()).isEqualTo(1);
    assertThat(counted.retried()).isEqualTo(2);
    assertThat(counted.cancelled()).isEqualTo(1);
    assertThat(counted.lately()).isEqualTo(new WorkerBulletin.Lately(4, 3));
    assertThat(counted.times().total()).isEqualTo(6.0, within(1e-9));
    assertThat(counted.times().recent()).isEqualTo(1.0, within(1e-9));
  }

  @Test
  void read_handlersGetSlower_recentFollows() {
    WorkerTally tally = new WorkerTally(List.of("a"), () -> 0);
    tally.started("a");
    tally.ended("a", outcome(new Succeeded(Optional.empty()), Duration.ofMillis(10)));
    for (int i = 0; i < 50; i++) {
      tally.ended("a", outcome(new Succeeded(Optional.empty()), Duration.ofSeconds(2)));
    }

    assertThat(tally.read().get("a").times().recent()).isBetween(1.9, 2.0);
  }

  @Test
  void ended_jobThatNeverStarted_doesNotChangeTheTimes() {
    WorkerTally tally = new WorkerTally(List.of("a"), () -> 0);
    tally.started("a");
    tally.ended("a", outcome(new Succeeded(Optional.empty()), Duration.ofSeconds(2)));
    tally.ended("a", outcome(new Cancelled(), Duration.ZERO));

    assertThat(tally.read().get("a").times().recent()).isEqualTo(2.0, within(1e-9));
  }

  @Test
  void read_moreTasksThanLines_sumsUpTheLessBusy() {
    int extra = 7;
    List<String> tasks =
        IntStream.range(0, WorkerTally.MOST_TASKS + extra).mapToObj(i -> "task-" + i).toList();
    WorkerTally tally = new WorkerTally(tasks, () -> 0);
    for (int i = 0; i < tasks.size(); i++) {
      for (int n = 0; n <= i; n++) {
        tally.started(tasks.get(i));
      }
    }

    Map<String, TaskTally> read = tally.read();

    assertThat(read).hasSize(WorkerTally.MOST_TASKS + 1).doesNotContainKey("task-0");
    assertThat(read.get(WorkerBulletin.OTHER).started()).isEqualTo(1 + 2 + 3 + 4 + 5 + 6 + 7);
    long sum = read.values().stream().mapToLong(TaskTally::started).sum();
    assertThat(sum).isEqualTo((long) tasks.size() * (tasks.size() + 1) / 2);
  }
}
