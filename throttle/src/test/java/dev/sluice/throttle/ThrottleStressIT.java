package dev.sluice.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many threads through one throttle while they are interrupted, run out of time, and the limit
 * changes under them. Who is inside is counted here, by a counter that the throttle knows nothing
 * of.
 *
 * <p>The bound on that counter follows the limit from above. It is raised before the limit is; and
 * after the limit was lowered, it is lowered once every thread has been outside since: whoever is
 * inside then was let in under the new limit.
 */
class ThrottleStressIT {
  private static final int THREADS = 64;
  private static final int PAIRS = 1_000_000;
  private static final int MOST = 40;
  private static final int[] LIMITS = {1, 2, 3, 5, 8, 13, 24, MOST};
  private static final long SEED = System.nanoTime();

  private final Throttle throttle = Throttle.builder("stress", 8).maxWaiting(THREADS - 2).build();
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger bound = new AtomicInteger(8);
  private final AtomicInteger violations = new AtomicInteger();
  private final AtomicInteger pairs = new AtomicInteger();
  private final AtomicLong interrupts = new AtomicLong();
  private final AtomicLong timeouts = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();
  private final AtomicLong futures = new AtomicLong();
  private final AtomicInteger resizes = new AtomicInteger();
  private final AtomicInteger tightened = new AtomicInteger();

  /** Which generation of the limit each thread has seen from outside; no thread: over. */
  private final AtomicIntegerArray seen = new AtomicIntegerArray(THREADS);

  private final AtomicInteger generation = new AtomicInteger();

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void millionPairs_withInterruptsTimeoutsAndResizes_keepTheLimitAndLoseNothing() throws Exception {
    System.out.println("seed " + SEED);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      threads.add(new Thread(() -> pass(number), "stress-" + i));
    }
    threads.forEach(Thread::start);
    Thread interrupter = new Thread(() -> interrupt(threads), "interrupter");
    interrupter.start();
    resizeWhileAnyRuns();
    for (Thread thread : threads) {
      thread.join();
    }
    interrupter.join();

    System.out.printf(
        "%d pairs, %d in futures; %d interrupts, %d time-outs, %d refusals, %d resizes, %d bounds%n",
        pairs.get(),
        futures.get(),
        interrupts.get(),
        timeouts.get(),
        refusals.get(),
        resizes.get(),
        tightened.get());
    assertThat(violations).as("entries above the bound").hasValue(0);
    assertThat(pairs.get()).isGreaterThanOrEqualTo(PAIRS);
    assertThat(inside).hasValue(0);
    assertThat(
            List.of(
                interrupts.get(),
                timeouts.get(),
                futures.get(),
                (long) resizes.get(),
                (long) tightened.get()))
        .as("interrupts, time-outs and resizes that happened")
        .allMatch(count -> count > 0);
    assertNothingLost();
  }

  /** Exactly as many enter as may, and the figures agree. */
  private void assertNothingLost() {
    assertThat(throttle.inFlight()).isZero();
    assertThat(throttle.queueDepth()).isZero();
    throttle.resize(7);
    for (int i = 0; i < 7; i++) {
      assertThat(throttle.tryAcquire("after")).as("place %d of 7", i + 1).isPresent();
    }
    assertThat(throttle.tryAcquire("after")).as("place 8 of 7").isEmpty();
    LabelStats stats = throttle.stats("work");
    assertThat(stats.inFlight()).isZero();
    assertThat(stats.queueDepth()).isZero();
    assertThat(stats.successTotal()).isGreaterThanOrEqualTo(pairs.get());
    assertThat(stats.peakInFlight()).isLessThanOrEqualTo(MOST);
  }

  private void pass(int number) {
    SplittableRandom random = new SplittableRandom(SEED + number);
    while (pairs.get() < PAIRS) {
      seen.set(number, generation.get());
      try {
        switch (random.nextInt(8)) {
          case 0 -> enter(throttle.acquire("work", Duration.ofNanos(random.nextInt(200_000))));
          case 1 -> throttle.tryAcquire("work").ifPresent(this::enter);
          case 2 -> runAsync(random.nextInt(4) == 0);
          default -> enter(throttle.acquire("work"));
        }
      } catch (ThrottleTimeoutException e) {
        timeouts.incrementAndGet();
      } catch (ThrottleFullException e) {
        refusals.incrementAndGet();
        LockSupport.parkNanos(100_000);
      } catch (InterruptedException e) {
        interrupts.incrementAndGet();
      }
    }
    seen.set(number, Integer.MAX_VALUE);
  }

  private void enter(Throttle.Permit permit) {
    count();
    inside.decrementAndGet();
    permit.close();
    permit.close(); // A second time must change nothing.
    pairs.incrementAndGet();
  }

  /** Work without a waiting thread; this one goes on when all of it is over, cancelled or not. */
  private void runAsync(boolean cancelled) {
    CountDownLatch settled = new CountDownLatch(1);
    AsyncRun<Boolean> run =
        new AsyncRun<>(
            throttle,
            throttle.meter("work"),
            () -> {
              count();
              inside.decrementAndGet();
              pairs.incrementAndGet();
              futures.incrementAndGet();
              return true;
            },
            settled::countDown);
    run.start();
    if (cancelled) {
      run.future().cancel(true);
    }
    while (settled.getCount() > 0) {
      try {
        settled.await();
      } catch (InterruptedException e) {
        interrupts.incrementAndGet();
        run.future().cancel(true);
      }
    }
  }

  private void count() {
    int now = inside.incrementAndGet();
    if (now > bound.get()) {
      violations.incrementAndGet();
    }
    if (now % 8 == 1) {
      Thread.yield();
    }
  }

  private void interrupt(List<Thread> threads) {
    Random random = new Random(SEED);
    while (threads.stream().anyMatch(Thread::isAlive)) {
      threads.get(random.nextInt(THREADS)).interrupt();
      LockSupport.parkNanos(200_000);
    }
  }

  private void resizeWhileAnyRuns() {
    Random random = new Random(SEED + 1);
    int limit = throttle.limit();
    while (pairs.get() < PAIRS) {
      if (random.nextInt(5) == 0) {
        throttle.resize(0); // Nobody enters for a moment; the bound stays.
        LockSupport.parkNanos(100_000);
        throttle.resize(limit);
      }
      int next = LIMITS[random.nextInt(LIMITS.length)];
      if (next > limit) {
        bound.set(next);
        throttle.resize(next);
      } else {
        throttle.resize(next);
        if (everybodyWasOutside()) {
          bound.set(next);
          tightened.incrementAndGet();
        }
      }
      limit = next;
      resizes.incrementAndGet();
      LockSupport.parkNanos(random.nextInt(20_000_000));
    }
    bound.set(MOST);
    throttle.resize(MOST);
  }

  /** Waits until every thread has begun anew since now. */
  private boolean everybodyWasOutside() {
    int now = generation.incrementAndGet();
    for (int i = 0; i < THREADS; i++) {
      while (seen.get(i) < now) {
        if (pairs.get() >= PAIRS) {
          return false;
        }
        LockSupport.parkNanos(20_000);
      }
    }
    return true;
  }
}
