package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DemandPlannerTest {
  private final ThreadPermits permits = new ThreadPermits(10, Map.of("narrow", 2));
  private final Prefetch prefetch = new Prefetch();
  private final JobBuffer buffer = new JobBuffer();
  private final SlotLedger ledger = new SlotLedger();

  private Demand plan(String... tasks) {
    return new DemandPlanner(List.of(tasks), permits, prefetch).plan(buffer, ledger);
  }

  private void buffer(String task, int jobs) {
    for (int i = 0; i < jobs; i++) {
      ClaimedJob.Run run =
          new ClaimedJob.Run(1, false, Optional.empty(), Duration.ZERO, Optional.empty());
      buffer.add(new ClaimedJob(UUID.randomUUID(), 1, task, run, List.of(), "{}"), 0, 0);
    }
  }

  @Test
  void plan_unmeasuredTasks_asksForNoMoreThanThereAreThreads() {
    permits.tryTake("slow");

    Demand demand = plan("slow", "narrow");

    assertThat(demand.jobs()).isEqualTo(9);
    assertThat(demand.tasks())
        .containsExactly(new TaskDemand("slow", 9, 0), new TaskDemand("narrow", 2, 0));
  }

  @Test
  void plan_noThreadFreeAndNothingMeasured_asksForNothing() {
    for (int i = 0; i < 10; i++) {
      permits.tryTake("slow");
    }

    assertThat(plan("slow", "narrow")).isEqualTo(Demand.NONE);
  }

  @Test
  void plan_quickTask_asksForItsDepthBehindItsThreadsOnly() {
    prefetch.measured("quick", Duration.ofMillis(5).toNanos());
    for (int i = 0; i < 8; i++) {
      permits.tryTake("slow");
    }
    permits.tryTake("quick");
    permits.tryTake("quick");
    buffer("quick", 3);

    Demand demand = plan("quick", "slow");

    assertThat(demand.jobs()).isEqualTo(2 * 4 - 3);
    assertThat(demand.tasks()).containsExactly(new TaskDemand("quick", 5, 4));
  }

  @Test
  void plan_jobsThatDoNothing_asksForOneBatchAndStopsAtTwo() {
    prefetch.measured("noop", 1_000);

    assertThat(plan("noop").jobs()).isEqualTo(DemandPlanner.LARGEST_BATCH);

    buffer("noop", DemandPlanner.LARGEST_BUFFER);
    for (int i = 0; i < 10; i++) {
      permits.tryTake("noop");
    }
    assertThat(plan("noop")).isEqualTo(Demand.NONE);
  }

  @Test
  void plan_slotsHeld_saysHowMuchMoreFitsUnderThem() {
    prefetch.measured("quick", Duration.ofMillis(5).toNanos());
    ledger.add(List.of(new HeldSlot("quick", 0, 1)));
    ledger.buffer("quick", List.of("quick"));

    assertThat(plan("quick").spare()).isEqualTo(Map.of("quick", 4));
  }
}
