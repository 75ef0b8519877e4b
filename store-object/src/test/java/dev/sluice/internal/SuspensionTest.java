package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Handler;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.object.ForwardingWorkerSession;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A worker on a machine that is suspended: its monotonic clock stands still, the time since boot
 * and the wall clock go on. With a lease of an hour, whatever happens here happens by these clocks.
 */
class SuspensionTest {
  private static final Task<Integer> TASK = Task.named("suspended", Integer.class).build();
  private static final Duration LEASE = LongLease.LENGTH;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final AtomicLong sinceBoot = new AtomicLong();
  private final AtomicLong wall = new AtomicLong();
  private final ElapsedClock clock =
      new ElapsedClock(
          System::nanoTime,
          () -> System.nanoTime() / 1_000_000 + sinceBoot.get(),
          () -> System.nanoTime() / 1_000_000 + wall.get());

  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private final AtomicBoolean interrupted = new AtomicBoolean();
  private final AtomicInteger renewals = new AtomicInteger();
  private final Sluice sluice = Sluice.open("memory:" + UUID.randomUUID());

  @AfterEach
  void close() {
    end.countDown();
    sluice.close();
  }

  private void suspend(Duration time) {
    sinceBoot.addAndGet(time.toMillis());
    wall.addAndGet(time.toMillis());
  }

  private Worker start(Handler.Returning<Integer, Object> handler) {
    sluice.submit(TASK, 1);
    return WorkerRuntime.start(
        LongLease.environment(
            sluice,
            Counting::new,
            clock,
            Map.of(TASK.name(), new RegisteredTask<>(TASK, handler))));
  }

  private Worker startBlocking() throws Exception {
    Worker worker =
        start(
            (n, context) -> {
              started.countDown();
              try {
                end.await();
              } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
              }
              return null;
            });
    started.await();
    return worker;
  }

  @Test
  void pastTheLease_handlersAreInterrupted_andTheWorkerGoesOnUnderANewOne() throws Exception {
    try (Worker worker = startBlocking()) {
      String before = worker.id();
      suspend(LEASE);
      await().atMost(PATIENCE).untilTrue(interrupted);
      await().atMost(PATIENCE).until(() -> !worker.id().equals(before));
    }
  }

  @Test
  void forLessThanTheLease_itIsRenewedAtOnce_andHandlersGoOn() throws Exception {
    try (Worker worker = startBlocking()) {
      String before = worker.id();
      suspend(LEASE.dividedBy(2));
      await().atMost(PATIENCE).until(() -> renewals.get() == 1);
      suspend(LEASE.dividedBy(2));
      await().atMost(PATIENCE).until(() -> renewals.get() == 2);
      assertThat(interrupted).isFalse();
      assertThat(worker.id()).isEqualTo(before);
      end.countDown();
    }
  }

  @Test
  void wallClockIsSet_theLeaseIsRenewedAtOnce_andNothingElseHappens() throws Exception {
    try (Worker worker = startBlocking()) {
      String before = worker.id();
      wall.addAndGet(LEASE.multipliedBy(10).toMillis());
      await().atMost(PATIENCE).until(() -> renewals.get() == 1);
      wall.addAndGet(LEASE.multipliedBy(-20).toMillis());
      await().atMost(PATIENCE).until(() -> renewals.get() == 2);
      assertThat(interrupted).isFalse();
      assertThat(worker.id()).isEqualTo(before);
      end.countDown();
    }
  }

  /** A command is told how long it may live by what this says, just after the thaw too. */
  @Test
  void leaseRemaining_isOverWithTheThaw_beforeTheWatchdogHasLooked() throws Exception {
    CompletableFuture<Duration> remaining = new CompletableFuture<>();
    Handler.Returning<Integer, Object> asking =
        (n, context) -> {
          suspend(LEASE);
          remaining.complete(context.leaseRemaining());
          return null;
        };
    try (Worker worker = start(asking)) {
      assertThat(remaining.get()).isZero();
    }
  }

  /** Counts renewals on their way to the store. */
  private final class Counting extends ForwardingWorkerSession {
    Counting(WorkerSession session) {
      super(session);
    }

    @Override
    public Set<UUID> renew(Duration atLeast) {
      renewals.incrementAndGet();
      return super.renew(atLeast);
    }
  }
}
