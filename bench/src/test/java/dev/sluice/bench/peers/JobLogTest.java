package dev.sluice.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class JobLogTest {
  @Test
  void timing_everyJobRan_spansAllOfThem() throws InterruptedException {
    JobLog log = new JobLog(new Workload(3, Duration.ofMillis(2)));
    for (int job = 2; job >= 0; job--) {
      log.handle(job);
    }
    log.await();
    Timing timing = log.timing(0.5);
    assertThat(timing.runSeconds()).isGreaterThanOrEqualTo(0.006);
    assertThat(timing.peak()).isEqualTo(1);
    assertThat(timing.submittedPerSecond()).hasValue(6);
  }

  @Test
  void handle_jobRunsTwice_doesNotStandInForAnother() throws InterruptedException {
    JobLog log = new JobLog(Workload.noOps(2));
    Thread waiting = new Thread(() -> awaitQuietly(log));
    waiting.start();
    log.handle(0);
    log.handle(0);
    assertThat(waiting.isAlive()).isTrue();
    log.handle(1);
    waiting.join();
    assertThat(log.timing(1).jobs()).isEqualTo(2);
  }

  @Test
  void timingUntil_laterMoment_countsUpToIt() throws InterruptedException {
    JobLog log = new JobLog(Workload.noOps(1));
    log.handle(0);
    Timing timing = log.timingUntil(System.nanoTime() + 1_000_000_000L, 1);
    assertThat(timing.runSeconds()).isGreaterThanOrEqualTo(1);
  }

  private static void awaitQuietly(JobLog log) {
    try {
      log.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
