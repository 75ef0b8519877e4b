package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.JobState;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that were submitted one by one have a segment each, which a new process has to read. */
@Timeout(60)
class SegmentReadsTest {
  private static final int SEGMENTS = 20;

  private final MemoryObjectStore memory = MemoryObjectStore.open(UUID.randomUUID().toString());

  @AfterEach
  void close() {
    memory.close();
  }

  /** Answers no read of a segment before every segment is asked for. */
  private static final class SimultaneousReads extends ForwardingObjectStore {
    private final CyclicBarrier all = new CyclicBarrier(SEGMENTS);

    SimultaneousReads(ObjectStore objects) {
      super(objects);
    }

    @Override
    public Optional<StoredObject> get(String key) {
      if (key.contains("/inbox/")) {
        try {
          all.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
          throw new AssertionError("the segments are not read at the same time", e);
        }
      }
      return super.get(key);
    }
  }

  private static JobStore open(ObjectStore objects) {
    return ObjectStoreProvider.open(
        PrefixedObjectStore.borrowing(objects, "sluice"), "reads", OptionalInt.empty());
  }

  private void submitOneByOne() {
    submitOneByOne(SEGMENTS);
  }

  private void submitOneByOne(int jobs) {
    try (JobStore store = open(memory)) {
      for (int i = 0; i < jobs; i++) {
        store.submit(List.of(StoreCalls.job("t")));
      }
    }
  }

  private void assertThatANewWorkerClaimsAll() {
    try (JobStore store = open(new SimultaneousReads(memory));
        WorkerSession session = store.openSession(StoreCalls.worker(Set.of("t"), Map.of()))) {
      assertThat(session.exchange(StoreCalls.ask("t", SEGMENTS)).jobs()).hasSize(SEGMENTS);
    }
  }

  @Test
  void newWorker_readsTheInboxAtOnce() {
    submitOneByOne();

    assertThatANewWorkerClaimsAll();
  }

  @Test
  void newWorker_readsAdmittedSegmentsAtOnce() {
    submitOneByOne();
    try (JobStore store = open(memory);
        WorkerSession other = store.openSession(StoreCalls.worker(Set.of("other"), Map.of()))) {
      assertThat(other.exchange(StoreCalls.ask("other", 1)).jobs()).isEmpty();
    }

    assertThatANewWorkerClaimsAll();
  }

  /** More segments than are read at a time: some reads have not begun when the store is closed. */
  @Test
  void storeIsClosed_callThatReadsSegmentsEnds() throws Exception {
    submitOneByOne(3 * SEGMENTS);
    CountDownLatch reading = new CountDownLatch(SEGMENTS);
    CountDownLatch closed = new CountDownLatch(1);
    ObjectStore slow =
        new ForwardingObjectStore(memory) {
          @Override
          public Optional<StoredObject> get(String key) {
            if (key.contains("/inbox/")) {
              reading.countDown();
              try {
                closed.await();
              } catch (InterruptedException e) {
                throw new StoreUnavailableException("Interrupted.", e);
              }
            }
            return super.get(key);
          }
        };
    JobStore store = open(slow);
    CompletableFuture<Long> waiting = new CompletableFuture<>();
    Thread caller =
        new Thread(() -> waiting.complete(store.jobs().counts().getOrDefault(JobState.READY, 0L)));
    caller.setDaemon(true);
    caller.start();
    assertThat(reading.await(10, TimeUnit.SECONDS)).as("segments are being read").isTrue();
    await().until(() -> caller.getState() == Thread.State.WAITING);

    store.close();
    closed.countDown();

    assertThat(waiting)
        .as("jobs that wait")
        .succeedsWithin(Duration.ofSeconds(10))
        .isEqualTo(3L * SEGMENTS);
  }
}
