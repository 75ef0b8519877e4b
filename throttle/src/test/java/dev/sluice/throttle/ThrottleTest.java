package dev.sluice.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThrottleTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final Throttle one = Throttle.of("one", 1);

  @Test
  void run_withResult_returnsItAndLeaves() throws InterruptedException {
    String result = one.run("work", () -> "inside: " + one.inFlight());
    assertThat(result).isEqualTo("inside: 1");
    assertThat(one.inFlight()).isZero();
    assertThat(one.stats("work").successTotal()).isEqualTo(1);
  }

  @Test
  void run_thatThrows_letsItThroughUnwrappedAndLeaves() {
    IOException failure = new IOException("disk on fire");
    assertThatThrownBy(
            () ->
                one.run(
                    "work",
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(one.inFlight()).isZero();
    assertThat(one.stats("work").failureTotal()).isEqualTo(1);
    assertThat(one.stats("work").successTotal()).isZero();
  }

  @Test
  void permit_closedTwice_isGivenBackOnce() throws InterruptedException {
    Throttle two = Throttle.of("two", 2);
    Throttle.Permit first = two.acquire("work");
    two.acquire("work");
    first.close();
    first.close();
    assertThat(two.inFlight()).isEqualTo(1);
    assertThat(two.tryAcquire("work")).isPresent();
    assertThat(two.tryAcquire("work")).as("a third of two").isEmpty();
    assertThat(two.stats("work").successTotal()).isEqualTo(1);
  }

  @Test
  void acquire_noRoomInTime_saysWhichThrottleAndLimit() throws InterruptedException {
    one.acquire("holder");
    for (Duration timeout : List.of(Duration.ofMillis(1), Duration.ZERO, Duration.ofSeconds(-1))) {
      assertThatThrownBy(() -> one.acquire("late", timeout))
          .isInstanceOf(ThrottleTimeoutException.class)
          .hasMessageContaining("'late'")
          .hasMessageContaining("throttle 'one'")
          .hasMessageContaining("limit is 1");
    }
    assertThat(one.queueDepth()).isZero();
    assertThat(one.stats("late").refusedTotal()).isEqualTo(3);
    assertThat(one.stats("late").queueDepth()).isZero();
  }

  @Test
  void run_longerThanMaxWait_isRefusedToo() throws InterruptedException {
    Throttle impatient = Throttle.builder("x", 1).maxWait(Duration.ofMillis(1)).build();
    impatient.acquire("holder");
    assertThatThrownBy(() -> impatient.run("late", () -> "never"))
        .isInstanceOf(ThrottleTimeoutException.class);
    assertThatThrownBy(() -> impatient.runAsync("late", () -> "never").join())
        .hasCauseInstanceOf(ThrottleTimeoutException.class);
    assertThat(impatient.queueDepth()).isZero();
  }

  @Test
  void acquire_interruptedWhileWaiting_leavesTheLine() throws InterruptedException {
    Throttle.Permit holder = one.acquire("holder");
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread waiter =
        new Thread(
            () -> {
              try {
                one.acquire("waiter");
              } catch (InterruptedException e) {
                interrupted.set(true);
              }
            });
    waiter.start();
    await().until(() -> one.queueDepth() == 1);
    waiter.interrupt();
    waiter.join();
    assertThat(interrupted).isTrue();
    assertThat(one.queueDepth()).isZero();
    holder.close();
    assertThat(one.inFlight()).isZero();
  }

  @Test
  void acquire_interruptedBefore_doesNotEnterThoughThereIsRoom() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> one.acquire("work")).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(one.inFlight()).isZero();
  }

  @Test
  void waiting_several_enterInTheOrderOfArrival() throws InterruptedException {
    Throttle.Permit holder = one.acquire("holder");
    Queue<Integer> order = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      // Threads and futures stand in the same line.
      if (i % 2 == 0) {
        all.add(one.runAsync("work", () -> order.add(number)));
      } else {
        CompletableFuture<Void> done = new CompletableFuture<>();
        new Thread(
                () -> {
                  try {
                    one.run("work", () -> order.add(number));
                    done.complete(null);
                  } catch (InterruptedException e) {
                    done.completeExceptionally(e);
                  }
                })
            .start();
        all.add(done);
      }
      await().until(() -> one.queueDepth() == number + 1);
    }
    holder.close();
    CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).join();
    assertThat(List.copyOf(order)).isSorted().hasSize(20);
  }

  @Test
  void tryAcquire_othersWait_doesNotOvertake() throws InterruptedException {
    Throttle held = Throttle.of("held", 0);
    CompletableFuture<String> first = held.runAsync("work", () -> "done");
    assertThat(held.tryAcquire("work")).isEmpty();
    held.resize(1);
    assertThat(first.join()).isEqualTo("done");
    await().until(() -> held.inFlight() == 0);
    assertThat(held.tryAcquire("work")).isPresent();
  }

  @Test
  void waiting_asManyAsMay_turnsTheNextAway() throws InterruptedException {
    Throttle small = Throttle.builder("small", 1).maxWaiting(2).build();
    Throttle.Permit holder = small.acquire("holder");
    CompletableFuture<String> first = small.runAsync("work", () -> "first");
    CompletableFuture<String> second = small.runAsync("work", () -> "second");
    assertThatThrownBy(() -> small.acquire("work"))
        .isInstanceOf(ThrottleFullException.class)
        .hasMessageContaining("2 wait for throttle 'small'");
    assertThatThrownBy(() -> small.runAsync("work", () -> "third").join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(ThrottleFullException.class);
    assertThat(small.stats("work").refusedTotal()).isEqualTo(2);
    second.cancel(true);
    CompletableFuture<String> fourth = small.runAsync("work", () -> "fourth");
    holder.close();
    assertThat(first.join()).isEqualTo("first");
    assertThat(fourth.join()).isEqualTo("fourth");
  }

  @Test
  void resize_raised_letsThoseInWhoWait() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(one.runAsync("work", () -> go.await(LONG.toSeconds(), TimeUnit.SECONDS)));
    }
    assertThat(one.inFlight()).isEqualTo(1);
    one.resize(3);
    assertThat(one.inFlight()).isEqualTo(3);
    assertThat(one.queueDepth()).isEqualTo(2);
    go.countDown();
    assertThat(all).allSatisfy(future -> assertThat(future.join()).isTrue());
  }

  @Test
  void resize_lowered_letsNobodyInUntilThereIsLessInside() throws InterruptedException {
    Throttle three = Throttle.of("three", 3);
    List<Throttle.Permit> inside = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      inside.add(three.acquire("work"));
    }
    three.resize(1);
    inside.get(0).close();
    inside.get(1).close();
    assertThat(three.inFlight()).isEqualTo(1);
    assertThat(three.tryAcquire("work")).isEmpty();
    inside.get(2).close();
    assertThat(three.tryAcquire("work")).isPresent();
  }

  @Test
  void resize_toZero_holdsUntilItIsRaised() throws InterruptedException {
    one.resize(0);
    CompletableFuture<String> held = one.runAsync("work", () -> "done");
    assertThatThrownBy(() -> one.acquire("work", Duration.ofMillis(20)))
        .isInstanceOf(ThrottleTimeoutException.class);
    assertThat(held).isNotDone();
    one.resize(1);
    assertThat(held.join()).isEqualTo("done");
  }

  @Test
  void limit_negative_isRefused() {
    assertThatThrownBy(() -> Throttle.of("x", -1)).hasMessageContaining("'x' cannot be -1");
    assertThatThrownBy(() -> one.resize(-2)).hasMessageContaining("'one' cannot be -2");
    assertThat(one.limit()).isEqualTo(1);
  }

  @Test
  void gauges_move_whenACallerStartsToWait() throws InterruptedException {
    Throttle.Permit holder = one.acquire("holder");
    Thread thread =
        new Thread(
            () -> {
              try {
                one.acquire("thread", LONG).close();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    CompletableFuture<String> future = one.runAsync("future", () -> "done");
    assertThat(one.stats("future").queueDepth()).isEqualTo(1);
    await().until(() -> one.stats("thread").queueDepth() == 1);
    assertThat(one.stats("holder").inFlight()).isEqualTo(1);
    holder.close();
    thread.join();
    future.join();
    await().until(() -> one.stats("future").inFlight() == 0);
    assertThat(one.stats("thread").queueDepth()).isZero();
    assertThat(one.stats("future").queueDepth()).isZero();
    assertThat(one.stats("future").waitTime().count()).isEqualTo(1);
    assertThat(one.stats("future").waitTime().sum()).isPositive();
    assertThat(one.stats()).containsOnlyKeys("holder", "thread", "future");
  }

  @Test
  void stats_ofMany_haveSumHistogramAndPeak() throws InterruptedException {
    Throttle two = Throttle.of("two", 2);
    Throttle.Permit first = two.acquire("work");
    Throttle.Permit second = two.acquire("work");
    first.close();
    second.close();
    two.run("work", () -> TimeUnit.MILLISECONDS.sleep(3));
    LabelStats stats = two.stats("work");
    assertThat(stats.peakInFlight()).isEqualTo(2);
    assertThat(stats.latency().count()).isEqualTo(3);
    assertThat(stats.latency().sum()).isGreaterThanOrEqualTo(Duration.ofMillis(3));
    assertThat(stats.latency().atMost()).isSorted().hasSameSizeAs(Timing.BOUNDS);
    assertThat(stats.latency().atMost().get(0)).as("at most 1 ms").isLessThanOrEqualTo(2);
    assertThat(stats.latency().atMost().get(Timing.BOUNDS.size() - 1)).isEqualTo(3);
  }

  @Test
  void runAsync_cancelledWhileWaiting_neverRuns() throws InterruptedException {
    AtomicBoolean ran = new AtomicBoolean();
    Throttle.Permit holder = one.acquire("holder");
    CompletableFuture<Void> cancelled =
        one.runAsync(
            "work",
            () -> {
              ran.set(true);
              return null;
            });
    cancelled.cancel(true);
    assertThat(one.queueDepth()).isZero();
    holder.close();
    one.run("after", () -> assertThat(ran).isFalse());
  }

  @Test
  void runAsync_cancelledWhileRunning_isInterruptedAndGivesItsPlaceBack() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    CompletableFuture<Void> running =
        one.runAsync(
            "work",
            () -> {
              started.countDown();
              try {
                return new CompletableFuture<Void>().get();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });
    started.await();
    running.orTimeout(1, TimeUnit.MILLISECONDS);
    interrupted.await();
    await().until(() -> one.inFlight() == 0);
    assertThat(running).isCompletedExceptionally();
  }

  @Test
  void listener_thatThrows_disturbsNobody() throws InterruptedException {
    one.addListener(
        new ThrottleListener() {
          @Override
          public void onStart(Throttle throttle, String label, Duration waited) {
            throw new AssertionError("broken");
          }
        });
    try (CapturedLog log = CapturedLog.of(Throttle.class)) {
      assertThat(one.<String, RuntimeException>run("work", () -> "done")).isEqualTo("done");
      assertThat(log.lines()).containsExactly("A throttle's listener failed; the work goes on.");
    }
    assertThat(one.inFlight()).isZero();
  }
}
