package dev.sluice.throttle;

import static dev.sluice.throttle.Throttles.mapConcurrently;
import static dev.sluice.throttle.Throttles.mapConcurrentlyAsync;
import static dev.sluice.throttle.Throttles.mapConcurrentlyCollecting;
import static dev.sluice.throttle.Throttles.mapConcurrentlyCollectingAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MapConcurrentlyTest {
  private static final List<Integer> NUMBERS = IntStream.range(0, 200).boxed().toList();

  private final Throttle four = Throttle.of("four", 4);
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();

  @Test
  void map_manyItems_keepsTheirOrderAndTheLimit() throws InterruptedException {
    CyclicBarrier all = new CyclicBarrier(4);
    List<String> results =
        mapConcurrently(
            NUMBERS,
            four,
            "work",
            number -> {
              peak.accumulateAndGet(inside.incrementAndGet(), Math::max);
              // 200 is a multiple of 4, so the barrier opens only if four are inside at once.
              awaitAll(all);
              inside.decrementAndGet();
              return "n" + number;
            });
    assertThat(results).isEqualTo(NUMBERS.stream().map(number -> "n" + number).toList());
    assertThat(peak).hasValue(4);
    assertThat(four.inFlight()).isZero();
    assertThat(four.stats("work").peakInFlight()).isEqualTo(4);
  }

  @Test
  void map_nothing_isNothing() throws InterruptedException {
    assertThat(mapConcurrently(List.of(), four, "work", each -> each)).isEmpty();
  }

  @Test
  void map_itemsAndResultsMayBeNull() throws InterruptedException {
    assertThat(mapConcurrently(java.util.Arrays.asList("a", null), four, "work", each -> each))
        .containsExactly("a", null);
  }

  @Test
  void map_ofThousands_isOneInTheLine() throws Exception {
    Throttle one = Throttle.builder("one", 1).maxWaiting(1).build();
    Throttle.Permit holder = one.acquire("holder");
    CompletableFuture<List<Integer>> all =
        mapConcurrentlyAsync(NUMBERS, one, "work", number -> number);
    await().until(() -> one.queueDepth() == 1);
    holder.close();
    assertThat(all.get()).isEqualTo(NUMBERS);
  }

  @Test
  void map_oneFails_interruptsTheRestAndThrowsItWhenAllHaveEnded() {
    CountDownLatch threeInside = new CountDownLatch(3);
    Queue<Integer> started = new ConcurrentLinkedQueue<>();
    AtomicInteger ended = new AtomicInteger();
    IOException failure =
        catchThrowableOfType(
            IOException.class,
            () ->
                mapConcurrently(
                    NUMBERS,
                    four,
                    "work",
                    number -> {
                      started.add(number);
                      try {
                        if (number == 3) {
                          threeInside.await();
                          throw new IOException("first");
                        }
                        threeInside.countDown();
                        new CountDownLatch(1).await();
                        return number;
                      } catch (InterruptedException e) {
                        if (number == 0) {
                          throw new IllegalStateException("second, while cleaning up");
                        }
                        throw new IOException("interrupted", e);
                      } finally {
                        ended.incrementAndGet();
                      }
                    }));
    assertThat(failure).hasMessage("first");
    assertThat(failure.getSuppressed())
        .extracting(Throwable::getMessage)
        .contains("second, while cleaning up", "interrupted");
    assertThat(started).as("the other 196 never start").hasSizeLessThanOrEqualTo(5);
    assertThat(ended).as("ended before the call returned").hasValue(started.size());
    assertThat(four.inFlight()).isZero();
    assertThat(four.queueDepth()).isZero();
  }

  @Test
  void map_sameExceptionTwice_isNotSuppressedInItself() {
    IllegalStateException shared = new IllegalStateException("shared");
    CyclicBarrier both = new CyclicBarrier(2);
    assertThatThrownBy(
            () ->
                mapConcurrently(
                    List.of(1, 2),
                    four,
                    "work",
                    number -> {
                      awaitAll(both);
                      throw shared;
                    }))
        .isSameAs(shared)
        .hasNoSuppressedExceptions();
  }

  @Test
  void map_errorInAnItem_isThrownAsItIs() {
    AssertionError error = new AssertionError("broken");
    assertThatThrownBy(
            () ->
                mapConcurrentlyCollecting(
                    NUMBERS,
                    four,
                    "work",
                    number -> {
                      throw error;
                    }))
        .isSameAs(error);
  }

  @Test
  void map_noRoomInTheLine_isRefused() throws InterruptedException {
    Throttle closed = Throttle.builder("closed", 0).maxWaiting(0).build();
    assertThatThrownBy(() -> mapConcurrently(NUMBERS, closed, "work", number -> number))
        .isInstanceOf(ThrottleFullException.class);
    Throttle impatient =
        Throttle.builder("impatient", 0).maxWait(java.time.Duration.ofMillis(1)).build();
    assertThatThrownBy(() -> mapConcurrently(NUMBERS, impatient, "work", number -> number))
        .isInstanceOf(ThrottleTimeoutException.class);
    assertThat(mapConcurrentlyCollecting(List.of(1, 2), closed, "work", number -> number))
        .allMatch(Outcome.Failure.class::isInstance);
  }

  @Test
  void map_callerInterrupted_interruptsTheItemsAndThrowsWhenAllHaveEnded() throws Exception {
    CountDownLatch started = new CountDownLatch(4);
    AtomicInteger interrupted = new AtomicInteger();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                mapConcurrently(
                    NUMBERS,
                    four,
                    "work",
                    number -> {
                      started.countDown();
                      try {
                        new CountDownLatch(1).await();
                      } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                        throw e;
                      }
                      return number;
                    });
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    caller.start();
    started.await();
    caller.interrupt();
    caller.join();
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(interrupted).hasValue(4);
    assertThat(four.inFlight()).isZero();
    assertThat(four.queueDepth()).isZero();
  }

  @Test
  void mapAsync_cancelled_interruptsTheItems() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    CompletableFuture<List<Integer>> future =
        mapConcurrentlyAsync(
            List.of(1),
            four,
            "work",
            number -> {
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
              }
              return number;
            });
    started.await();
    future.cancel(true);
    interrupted.await();
    await().until(() -> four.inFlight() == 0);
  }

  @Test
  void mapCollecting_someFail_triesEveryItem() throws Exception {
    Mapper<Integer, Integer, IOException> evenOnly =
        number -> {
          if (number % 2 == 1) {
            throw new IOException("odd " + number);
          }
          return number * 10;
        };
    List<Outcome<Integer>> outcomes =
        mapConcurrentlyCollecting(List.of(0, 1, 2, 3), four, "work", evenOnly);
    assertThat(outcomes.get(0)).isEqualTo(new Outcome.Success<>(0));
    assertThat(outcomes.get(2)).isEqualTo(new Outcome.Success<>(20));
    assertThat(outcomes.get(3))
        .isInstanceOfSatisfying(
            Outcome.Failure.class, failure -> assertThat(failure.cause()).hasMessage("odd 3"));
    assertThat(mapConcurrentlyCollectingAsync(List.of(0, 2), four, "work", evenOnly).get())
        .containsExactly(new Outcome.Success<>(0), new Outcome.Success<>(20));
  }

  private static void awaitAll(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | java.util.concurrent.BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
