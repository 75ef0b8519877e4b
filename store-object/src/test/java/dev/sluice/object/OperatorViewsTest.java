package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.object.state.ShardDocuments;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerSession;
import dev.sluice.spi.WorkerStore.StoredWorker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators are told, where objects were tampered with, and what it costs to tell it. */
class OperatorViewsTest {
  private static final String TASK = "t";
  private static final Group GROUP = Group.of(TASK);
  private static final String CONTROL = "views/shards/0/control.json";

  private final String name = UUID.randomUUID().toString();
  private final MemoryObjectStore objects = MemoryObjectStore.open(name);
  private final RequestMeter meter = new RequestMeter();
  private boolean paidFor;
  private final JobStore store =
      ObjectStoreProvider.open(
          new PrefixedObjectStore(
              new ForwardingObjectStore(
                  new InstrumentedObjectStore(MemoryObjectStore.open(name), meter)) {
                @Override
                public boolean isPaidFor() {
                  return paidFor;
                }
              },
              "views"),
          "views",
          OptionalInt.empty());

  @AfterEach
  void close() {
    store.close();
    objects.close();
  }

  private WorkerSession worker() {
    return store.openSession(StoreCalls.worker(Set.of(TASK), Map.of(GROUP, 2)));
  }

  private RequestReport requestsOf(Runnable calls) {
    RequestReport before = meter.report();
    calls.run();
    return meter.report().since(before);
  }

  /** Somebody has tidied up in the bucket. */
  @Test
  void leaseRemovedByHand_slotsAreFoundAndFreed() {
    store.submit(List.of(StoreCalls.job(TASK), StoreCalls.job(TASK)));
    WorkerSession session = worker();
    assertThat(session.exchange(StoreCalls.ask(TASK, 2)).jobs()).hasSize(2);
    objects.delete("views/workers/" + session.workerId() + ".json");

    AuditReport seen = store.limits().audit(false);
    assertThat(seen.findings())
        .extracting(Finding::group, Finding::kind, Finding::count)
        .containsExactly(tuple(GROUP, Kind.LEAKED, 2));
    assertThat(seen.repaired()).isFalse();
    assertThat(store.limits().status(GROUP).active()).isEqualTo(2);

    assertThat(store.limits().audit(true).repaired()).isTrue();
    assertThat(store.limits().status(GROUP).active()).isZero();
    assertThat(store.jobs().counts()).containsEntry(JobState.READY, 2L);
    assertThat(store.limits().audit(true).isClean()).isTrue();
  }

  private int pendingChanges() {
    byte[] body = objects.get(CONTROL).orElseThrow().body();
    return ShardDocuments.read(CONTROL, body).limits().log().pending().size();
  }

  @Test
  void manyChanges_leaveTheControlObjectForTheLog() {
    int changes = LimitLog.KEPT + 20;
    IntStream.range(0, changes)
        .forEach(n -> store.limits().setLimit(GROUP, LimitLevel.OPERATOR, OptionalInt.of(n), "me"));
    await()
        .until(
            () -> {
              store.queues().pause("q" + UUID.randomUUID());
              return pendingChanges() == 0;
            });

    List<LimitChange> log = store.limits().changes(Optional.empty(), 5_000);
    assertThat(log).hasSize(LimitLog.KEPT);
    assertThat(log.get(0).after()).hasValue(changes - 1);
    assertThat(log.get(LimitLog.KEPT - 1).after()).hasValue(20);
  }

  @Test
  void workers_nobodyRenewed_takesOneList() {
    for (int i = 0; i < 5; i++) {
      worker();
    }
    assertThat(store.workers().list()).hasSize(5);

    RequestReport taken = requestsOf(() -> assertThat(store.workers().list()).hasSize(5));
    assertThat(taken.of(RequestKind.LIST).requests()).isEqualTo(1);
    assertThat(taken.requests()).isEqualTo(1);
  }

  private Optional<String> bulletin() {
    return store.workers().list().stream().findFirst().flatMap(StoredWorker::bulletin);
  }

  @Test
  void publish_whereRequestsAreFree_isThereAtOnce() {
    worker().publish("hello");
    assertThat(bulletin()).contains("hello");
  }

  @Test
  void publish_wherePaidFor_waitsForTheRenewal() {
    paidFor = true;
    WorkerSession session = worker();

    RequestReport taken = requestsOf(() -> session.publish("hello"));
    assertThat(taken.requests()).isZero();
    assertThat(bulletin()).isEmpty();
    session.renew(Duration.ZERO);
    assertThat(bulletin()).contains("hello");
  }
}
