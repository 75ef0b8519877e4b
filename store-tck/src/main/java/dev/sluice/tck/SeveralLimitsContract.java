package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.Task;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.TaskDemand;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Jobs under several limits start only when all of them have room, and hold none otherwise. */
abstract class SeveralLimitsContract extends ContractTopic {
  SeveralLimitsContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  record Order(String tenant, String region) {}

  private static Task<Order> orders(int limit, int perTenant, int perRegion) {
    return Task.named("orders", Order.class)
        .maxConcurrent(limit)
        .maxConcurrentPer("tenant", Order::tenant, perTenant)
        .maxConcurrentPer("region", Order::region, perRegion)
        .build();
  }

  private static Group tenant(String name) {
    return Group.of("orders").dimension("tenant", name);
  }

  private static Group region(String name) {
    return Group.of("orders").dimension("region", name);
  }

  @Test
  void keyFull_taskSlotIsNotTaken() {
    Task<Order> task = orders(3, 1, 9);
    for (int i = 0; i < 5; i++) {
      sluice.submit(task, new Order("acme", "eu"));
      sluice.submit(task, new Order("bolt", "eu"));
    }
    ManualWorker worker = manualWorker(task);

    List<ClaimedJob> running = worker.claimAll("orders", 20);
    assertThat(running).hasSize(2);
    assertThat(running)
        .allSatisfy(
            job ->
                assertThat(job.bond().limited())
                    .hasSize(3)
                    .contains("orders", region("eu").toString()));
    assertThat(active("orders")).isEqualTo(2);
    assertThat(active(tenant("acme"))).isEqualTo(1);
    assertThat(active(region("eu"))).isEqualTo(2);

    worker.succeedAll(running);
    assertThat(active("orders")).isZero();
    assertThat(active(tenant("acme"))).isZero();
    assertThat(active(region("eu"))).isZero();
  }

  @Test
  void taskFull_keySlotIsNotTaken() {
    Task<Order> task = orders(1, 5, 5);
    sluice.submit(task, new Order("acme", "eu"));
    sluice.submit(task, new Order("bolt", "us"));
    ManualWorker worker = manualWorker(task);
    ManualWorker other = manualWorker(task);

    List<ClaimedJob> running = worker.claimAll("orders", 20);
    assertThat(running).hasSize(1);
    assertThat(other.claim("orders", 20)).isEmpty();
    assertThat(active(tenant("acme"))).isEqualTo(1);
    assertThat(active(tenant("bolt"))).isZero();
    assertThat(active(region("us"))).isZero();
    worker.succeedAll(running);
    assertThat(other.claim("orders", 20)).hasSize(1);
  }

  @Test
  void fourGroupsAtOnce_allCount() {
    record Wide(String a, String b, String c) {}
    Task<Wide> task =
        Task.named("wide", Wide.class)
            .maxConcurrent(100)
            .maxConcurrentPer("a", Wide::a, 100)
            .maxConcurrentPer("b", Wide::b, 100)
            .maxConcurrentPer("c", Wide::c, 100)
            .build();
    for (int i = 0; i < 10; i++) {
      sluice.submit(
          task, new Wide("1", "2", "3"), o -> o.concurrencyGroup("narrow").concurrencyLimit(2));
    }
    ManualWorker worker = manualWorker(task);

    List<ClaimedJob> running = worker.claimAll("wide", 20);
    assertThat(running).hasSize(2);
    assertThat(running).allSatisfy(job -> assertThat(job.bond().limited()).hasSize(5));
    for (Group group :
        List.of(
            Group.of("wide"),
            Group.of("wide").dimension("a", "1"),
            Group.of("wide").dimension("b", "2"),
            Group.of("wide").dimension("c", "3"),
            Group.of("narrow"))) {
      assertThat(active(group)).as(group.toString()).isEqualTo(2);
    }
  }

  @Test
  void sharedGroup_bestJobComesFirst_whicheverTaskItIsOf() {
    Task<Integer> gpu = task("gpu", 1);
    Task<Integer> render = task("render");
    submit(gpu, 3);
    UUID urgent = sluice.submit(render, 0, o -> o.concurrencyGroup("gpu").priority(9)).id();
    ManualWorker worker = manualWorker(gpu, render);

    List<ClaimedJob> claimed =
        worker.claim(5, new TaskDemand("gpu", 5, 0), new TaskDemand("render", 5, 0));

    assertThat(claimed).extracting(ClaimedJob::id).containsExactly(urgent);
  }

  @Test
  void contention_noDeadlockNoLeakNeverTooMany() throws Exception {
    Task<Order> task = orders(4, 2, 2);
    Random random = ClaimContract.seeded();
    List<Order> orders = new ArrayList<>();
    for (int i = 0; i < 160; i++) {
      orders.add(new Order("tenant" + random.nextInt(4), "region" + random.nextInt(4)));
    }
    sluice.submitAll(task, orders);
    OverlapMeter meter = new OverlapMeter();
    AtomicInteger done = new AtomicInteger();

    onThreads(
        6,
        () -> {
          try (ManualWorker worker =
              new ManualWorker(store.openSession(registration(LONG_LEASE, task)))) {
            while (done.get() < 160) {
              List<OverlapMeter.Run> runs = new ArrayList<>();
              List<ClaimedJob> jobs = worker.claim("orders", 3);
              jobs.forEach(
                  job -> job.bond().limited().forEach(gate -> runs.add(meter.begin(gate))));
              runs.forEach(OverlapMeter.Run::close);
              done.addAndGet(worker.succeedAll(jobs).size());
            }
          }
          return null;
        });

    assertThat(done).hasValue(160);
    assertThat(meter.peak("orders")).isBetween(1, 4);
    for (int i = 0; i < 4; i++) {
      assertThat(meter.peak(tenant("tenant" + i).toString())).isBetween(1, 2);
      assertThat(meter.peak(region("region" + i).toString())).isBetween(1, 2);
      assertThat(active(tenant("tenant" + i))).isZero();
      assertThat(active(region("region" + i))).isZero();
    }
    assertThat(active("orders")).isZero();
  }

  @Test
  void workers_bothLimitsHoldUnderLoad() {
    Task<Order> task = orders(5, 2, 3);
    OverlapMeter meter = new OverlapMeter();
    List<Order> orders = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      orders.add(new Order("tenant" + i % 5, "region" + i % 3));
    }
    sluice.submitAll(task, orders);
    for (int i = 0; i < 3; i++) {
      closing(
          worker(anotherProcess())
              .handle(
                  task,
                  (order, context) -> {
                    try (OverlapMeter.Run all = meter.begin("orders");
                        OverlapMeter.Run one = meter.begin(order.tenant());
                        OverlapMeter.Run two = meter.begin(order.region())) {
                      TimeUnit.MICROSECONDS.sleep(500);
                    }
                  })
              .start());
    }

    awaitCount(JobState.SUCCEEDED, 300);
    assertThat(meter.peak("orders")).isBetween(1, 5);
    for (int i = 0; i < 5; i++) {
      assertThat(meter.peak("tenant" + i)).isBetween(1, 2);
    }
    for (int i = 0; i < 3; i++) {
      assertThat(meter.peak("region" + i)).isBetween(1, 3);
    }
    await().untilAsserted(() -> assertThat(active("orders")).isZero());
    await().untilAsserted(() -> assertThat(active(tenant("tenant0"))).isZero());
  }

  @Test
  void freedSlot_firstInLineHeldByAnotherGroup_goesToTheNextInLine() throws Exception {
    Task<Order> task = orders(50, 100, 100);
    sluice.concurrency().setLimit(Group.of("heavy"), 1);
    ManualWorker worker = manualWorker(task);
    sluice.submit(task, new Order("acme", "eu"), o -> o.concurrencyGroup("heavy"));
    List<ClaimedJob> first = worker.claimAll("orders", 1);
    for (int i = 0; i < 30; i++) {
      sluice.submit(task, new Order("held", "eu"), o -> o.concurrencyGroup("heavy"));
    }
    sluice.submit(task, new Order("bolt", "eu"), o -> o.concurrencyGroup("heavy"));
    assertThat(worker.claimAll("orders", 40)).isEmpty();

    setLimit(tenant("held"), 0, worker);
    worker.succeedAll(first);
    assertThat(worker.claimAll("orders", 40)).hasSize(1);
  }

  @Test
  void freedSlot_firstInLineHasNoWorker_goesToTheNextInLine() {
    Task<Integer> orphan = task("orphan");
    Task<Integer> served = task("served");
    sluice.concurrency().setLimit(Group.of("heavy"), 1);
    ManualWorker leaving = manualWorker(orphan);
    ManualWorker staying = manualWorker(served);
    submit(orphan, o -> o.concurrencyGroup("heavy"));
    List<ClaimedJob> first = leaving.claimAll("orphan", 1);
    submit(orphan, 30, o -> o.concurrencyGroup("heavy"));
    submit(served, o -> o.concurrencyGroup("heavy"));
    assertThat(leaving.claimAll("orphan", 40)).isEmpty();
    assertThat(staying.claimAll("served", 1)).isEmpty();

    leaving.succeedAll(first);
    leaving.close();
    store.recover();
    assertThat(staying.claimAll("served", 1)).hasSize(1);
  }
}
