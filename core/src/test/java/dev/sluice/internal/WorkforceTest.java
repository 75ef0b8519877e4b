package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Load;
import dev.sluice.WorkerBulletin.Tally;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.WorkerBulletin.Times;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkforceTest {
  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

  private static WorkerInfo worker(String queue, Instant expiresAt, WorkerBulletin bulletin) {
    return new WorkerInfo(
        "w",
        "w",
        Set.of(queue),
        Set.of("t"),
        new WorkerInfo.Lease(NOW.minusSeconds(60), expiresAt, NOW, Duration.ofSeconds(30)),
        Optional.ofNullable(bulletin));
  }

  private static WorkerBulletin bulletin(int running, long started, double recent) {
    TaskTally tally =
        new TaskTally(started, 0, 0, 0, 0, new Times(0, recent), WorkerBulletin.Lately.NONE);
    return new WorkerBulletin(
        NOW,
        NOW,
        new Load(4, running, 0, false),
        new Tally(Map.of("t", tally), Map.of()),
        List.of(),
        Map.of());
  }

  @Test
  void of_expiredLease_doesNotCount() {
    Workforce workforce =
        Workforce.of(
            List.of(worker("q", NOW.minusMillis(1), null), worker("q", NOW.plusMillis(1), null)));

    assertThat(workforce.live()).hasSize(1);
    assertThat(workforce.serving("q").handling("t").isEmpty()).isFalse();
    assertThat(workforce.serving("other").isEmpty()).isTrue();
    assertThat(workforce.handling("other").isEmpty()).isTrue();
  }

  @Test
  void of_drainingWorker_doesNotCount() {
    WorkerBulletin spoken = bulletin(1, 1, 1);
    WorkerBulletin draining =
        new WorkerBulletin(NOW, NOW, new Load(4, 1, 0, true), spoken.tally(), List.of(), Map.of());
    Instant later = NOW.plusSeconds(30);

    assertThat(
            Workforce.of(List.of(worker("q", later, draining), worker("q", later, spoken))).live())
        .hasSize(1);
  }

  @Test
  void busy_oneHasRoomOrHasNotSpokenYet_isFalse() {
    Instant later = NOW.plusSeconds(30);
    WorkerInfo full = worker("q", later, bulletin(4, 1, 1));

    assertThat(new Workforce(List.of(full)).busy()).isTrue();
    assertThat(new Workforce(List.of(full, worker("q", later, bulletin(3, 1, 1)))).busy())
        .isFalse();
    assertThat(new Workforce(List.of(full, worker("q", later, null))).busy()).isFalse();
    assertThat(new Workforce(List.of()).busy()).isFalse();
  }

  @Test
  void recentSeconds_workersDiffer_whoDidMoreCountsMore() {
    Instant later = NOW.plusSeconds(30);
    Workforce workforce =
        new Workforce(
            List.of(
                worker("q", later, bulletin(0, 30, 1)), worker("q", later, bulletin(0, 10, 5))));

    assertThat(workforce.recentSeconds("t").orElseThrow()).isEqualTo(2.0, within(1e-9));
    assertThat(workforce.recentSeconds().orElseThrow()).isEqualTo(2.0, within(1e-9));
    assertThat(workforce.recentSeconds("other")).isEmpty();
  }
}
