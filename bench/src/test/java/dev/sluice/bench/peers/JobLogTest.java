package dev.sluice.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.Endpoint;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class JobLogTest {
  @Test
  void timing_everyJobRan_spansAllOfThem() throws InterruptedException {
    JobLog log = log(new Workload(3, Duration.ofMillis(2)));
    for (int job = 2; job >= 0; job--) {
      log.handle(job);
    }
    log.await();
    Timing timing = log.timing();
    assertThat(timing.runSeconds()).isGreaterThanOrEqualTo(0.006);
    assertThat(timing.peak()).isEqualTo(1);
    assertThat(timing.submittedPerSecond()).hasValue(6);
    assertThat(timing.serverCpu().microsPerJob()).isEmpty();
  }

  @Test
  void handle_jobRunsTwice_doesNotStandInForAnother() throws InterruptedException {
    JobLog log = log(Workload.noOps(2));
    Thread waiting = new Thread(() -> awaitQuietly(log));
    waiting.start();
    log.handle(0);
    log.handle(0);
    assertThat(waiting.isAlive()).isTrue();
    log.handle(1);
    waiting.join();
    assertThat(log.timing().jobs()).isEqualTo(2);
  }

  @Test
  void timingUntil_laterMoment_countsUpToIt() throws InterruptedException {
    JobLog log = log(Workload.noOps(1));
    log.handle(0);
    log.await();
    Timing timing = log.timingUntil(System.nanoTime() + 1_000_000_000L);
    assertThat(timing.runSeconds()).isGreaterThanOrEqualTo(1);
  }

  /** A log whose jobs were submitted in half a second, to a server that is out of sight. */
  private static JobLog log(Workload workload) {
    JobLog log =
        new JobLog(workload, CpuClock.of(new Endpoint("127.0.0.1", 1, "none", "nobody", "")));
    log.submitted(0.5);
    return log;
  }

  private static void awaitQuietly(JobLog log) {
    try {
      log.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
