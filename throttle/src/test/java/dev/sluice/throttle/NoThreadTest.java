package dev.sluice.throttle;

import static dev.sluice.throttle.Throttles.mapConcurrently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to async work when the process can start no more threads. */
@Timeout(60)
class NoThreadTest {
  private static final int MANY = 20_000;

  private final AtomicInteger left = new AtomicInteger();
  private final Executor scarce =
      task -> {
        if (left.getAndDecrement() <= 0) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        Threads.start(task);
      };
  private final Throttle one = Throttle.builder("one", 1).threads(scarce).build();

  @Test
  void runAsync_whenThereIsRoomButNoThread_failsAndLeaves() {
    assertNoThread(one.runAsync("work", () -> 1));
    assertThat(one.inFlight()).isZero();
    assertThat(one.stats("work").queueDepth()).isZero();
    assertThat(one.stats("work").refusedTotal()).isEqualTo(1);
  }

  @Test
  void runAsync_admittedWhenThereIsNoThread_troublesNotWhoLeft() throws Exception {
    Throttle.Permit holder = one.acquire("holder");
    List<CompletableFuture<Integer>> futures = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      futures.add(one.runAsync("work", () -> 1));
    }
    holder.close();
    futures.forEach(NoThreadTest::assertNoThread);
    assertThat(one.inFlight()).isZero();
    assertThat(one.tryAcquire("next")).isPresent();
  }

  @Test
  void resize_whenThereIsNoThreadForTheFirst_letsTheOthersIn() throws Exception {
    one.resize(0);
    CompletableFuture<Integer> first = one.runAsync("work", () -> 1);
    CompletableFuture<String> entered = new CompletableFuture<>();
    Thread parked =
        new Thread(
            () -> {
              try {
                entered.complete(one.<String, RuntimeException>run("other", () -> "entered"));
              } catch (InterruptedException | RuntimeException e) {
                entered.completeExceptionally(e);
              }
            });
    parked.start();
    org.awaitility.Awaitility.await().until(() -> one.queueDepth() == 2);
    one.resize(2);
    assertThat(entered.get()).isEqualTo("entered");
    assertNoThread(first);
  }

  /** Who depends on a future may use the throttle: the place must be free by then. */
  @Test
  void runAsync_withoutAThread_hasLeftWhenItsFutureFails() throws Exception {
    Throttle.Permit holder = one.acquire("holder");
    CompletableFuture<Boolean> free =
        one.runAsync("work", () -> false).exceptionally(e -> one.tryAcquire("instead").isPresent());
    holder.close();
    assertThat(free.get()).isTrue();
  }

  @Test
  void map_withAThreadForTheFirstAlone_failsInsteadOfWaiting() {
    left.set(1);
    Throttle four = Throttle.builder("four", 4).threads(scarce).build();
    assertThatThrownBy(() -> mapConcurrently(List.of(1, 2, 3), four, "work", each -> each))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(four.inFlight()).isZero();
  }

  @Test
  void runAsync_timedOutWhenThereIsNoThread_failsInTime() throws Exception {
    Throttle hasty =
        Throttle.builder("hasty", 1).maxWait(Duration.ofMillis(1)).threads(scarce).build();
    hasty.acquire("holder");
    assertThatThrownBy(() -> hasty.runAsync("work", () -> 1).get())
        .hasCauseInstanceOf(ThrottleTimeoutException.class);
  }

  /** One who takes long must not hold up the time-outs of the whole JVM. */
  @Test
  void runAsync_timedOut_isToldOnAThreadOfItsOwn() throws Exception {
    left.set(1);
    Throttle hasty =
        Throttle.builder("hasty", 1).maxWait(Duration.ofMillis(50)).threads(scarce).build();
    hasty.acquire("holder");
    CompletableFuture<String> teller =
        hasty.runAsync("work", () -> "work").exceptionally(e -> Thread.currentThread().getName());
    assertThat(teller.get(30, TimeUnit.SECONDS)).startsWith("throttle-");
  }

  private static void assertNoThread(CompletableFuture<?> future) {
    assertThat(future).isDone();
    assertThatThrownBy(future::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(OutOfMemoryError.class);
  }
}
