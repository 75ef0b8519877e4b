package dev.sluice.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.failsafe.CircuitBreaker;
import dev.failsafe.CircuitBreakerOpenException;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RetryTest {
  private final Throttle one = Throttle.of("one", 1);
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void run_succeedsAtLast_countsWhatItTook() throws Exception {
    Retry retry = quick().build();
    String result = retry.run("work", one, () -> failingUntil(3));
    assertThat(result).isEqualTo("call 3");
    assertThat(retry.stats("work")).isEqualTo(new RetryStats(2, 1, 0));
    assertThat(one.stats("work").failureTotal()).isEqualTo(2);
    assertThat(one.stats("work").successTotal()).isEqualTo(1);
  }

  @Test
  void run_succeedsAtOnce_countsNothing() throws Exception {
    Retry retry = quick().build();
    assertThat(retry.<String, IOException>run("work", () -> failingUntil(1))).isEqualTo("call 1");
    assertThat(retry.stats("work")).isEqualTo(new RetryStats(0, 0, 0));
  }

  @Test
  void run_failsEveryTime_throwsTheLastFailureUnwrapped() {
    Retry retry = quick().build();
    assertThatThrownBy(() -> retry.run("work", one, () -> failingUntil(100)))
        .isInstanceOf(IOException.class)
        .hasMessage("call 3");
    assertThat(calls).hasValue(3);
    assertThat(retry.stats("work")).isEqualTo(new RetryStats(2, 0, 1));
  }

  @Test
  void run_notRetryable_failsAtOnceAndIsNotExhausted() {
    Retry retry = quick().retryIf(e -> !(e instanceof FileNotFoundException)).build();
    assertThatThrownBy(
            () ->
                retry.run(
                    "work",
                    one,
                    () -> {
                      calls.incrementAndGet();
                      throw new FileNotFoundException("gone");
                    }))
        .isInstanceOf(FileNotFoundException.class);
    assertThat(calls).hasValue(1);
    assertThat(retry.stats("work")).isEqualTo(new RetryStats(0, 0, 0));
  }

  @Test
  void run_throttleHasNoRoom_isNotTriedAgain() throws InterruptedException {
    Throttle full = Throttle.builder("full", 1).maxWaiting(0).build();
    full.acquire("holder");
    Retry retry = quick().build();
    assertThatThrownBy(() -> retry.run("work", full, () -> failingUntil(1)))
        .isInstanceOf(ThrottleFullException.class);
    assertThat(full.stats("work").refusedTotal()).isEqualTo(1);
  }

  @Test
  void run_betweenAttempts_holdsNoPermit() throws Exception {
    // What asks for the delay is asked between the attempts, where it would be slept.
    List<Integer> inFlight = new ArrayList<>();
    Retry retry =
        quick()
            .retryAfter(
                failure -> {
                  inFlight.add(one.inFlight());
                  return Optional.of(Duration.ofMillis(1));
                })
            .build();
    retry.run("work", one, () -> failingUntil(3));
    assertThat(inFlight).isNotEmpty().containsOnly(0);
  }

  @Test
  void run_whileItSleeps_othersEnter() throws Exception {
    CountDownLatch sleeping = new CountDownLatch(1);
    Retry retry =
        Retry.builder()
            .baseDelay(Duration.ofHours(1))
            .maxDelay(Duration.ofHours(2))
            .retryIf(
                failure -> {
                  sleeping.countDown();
                  return true;
                })
            .build();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread sleeper =
        new Thread(
            () -> {
              try {
                retry.run("work", one, () -> failingUntil(2));
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    sleeper.start();
    sleeping.await();
    assertThat(one.<String, RuntimeException>run("other", () -> "entered")).isEqualTo("entered");
    sleeper.interrupt();
    sleeper.join();
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(calls).hasValue(1);
  }

  @Test
  void run_otherSideAsksForTime_getsIt() throws Exception {
    Retry retry =
        Retry.builder()
            .baseDelay(Duration.ofMillis(1))
            .jitter(1)
            .retryAfter(failure -> Optional.of(Duration.ofMillis(30)))
            .build();
    long start = System.nanoTime();
    retry.run("work", () -> failingUntil(2));
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofMillis(30));
  }

  @Test
  void delay_whenTheOtherSideAsks_isNeverShorterThanAskedNorThanOurOwn() {
    Duration second = Duration.ofSeconds(1);
    Retry.Builder asks = Retry.builder().baseDelay(Duration.ofMillis(500)).jitter(0.2);
    Set<Duration> own = new HashSet<>();
    for (int draw = 0; draw < 1000; draw++) {
      assertThat(asks.retryAfter(e -> Optional.of(second)).delay(new IOException(), 1))
          .isEqualTo(second);
      own.add(asks.retryAfter(e -> Optional.of(Duration.ZERO)).delay(new IOException(), 1));
    }
    assertThat(own)
        .allSatisfy(
            delay -> assertThat(delay).isBetween(Duration.ofMillis(400), Duration.ofMillis(600)))
        .hasSizeGreaterThan(1);
  }

  @Test
  void delay_byDefault_isHalfASecondAndTwiceAsLongEachTime() {
    for (Retry.Builder retry :
        new Retry.Builder[] {Retry.builder(), Retry.from(new Environment(Map.of()))}) {
      retry.jitter(0);
      assertThat(retry.delay(new IOException(), 1)).hasMillis(500);
      assertThat(retry.delay(new IOException(), 2)).hasMillis(1_000);
      assertThat(retry.delay(new IOException(), 3)).hasMillis(2_000);
    }
  }

  @Test
  void delay_doublesUpToItsMostOrStaysAtALongerBase() {
    Retry.Builder retry =
        Retry.builder()
            .baseDelay(Duration.ofSeconds(10))
            .jitter(0)
            .maxDelay(Duration.ofSeconds(30));
    assertThat(retry.delay(new IOException(), 1)).hasSeconds(10);
    assertThat(retry.delay(new IOException(), 2)).hasSeconds(20);
    assertThat(retry.delay(new IOException(), 3)).hasSeconds(30);
    assertThat(retry.delay(new IOException(), 2000)).hasSeconds(30);
    retry.baseDelay(Duration.ofSeconds(60));
    assertThat(retry.delay(new IOException(), 1)).hasSeconds(60);
    assertThat(retry.delay(new IOException(), 2)).hasSeconds(60);
  }

  @Test
  void delay_growsByTheMultiplier() {
    Retry.Builder retry = Retry.builder().baseDelay(Duration.ofMillis(100)).jitter(0);
    assertThat(retry.delay(new IOException(), 3)).as("2 by default").hasMillis(400);
    retry.multiplier(3);
    assertThat(retry.delay(new IOException(), 1)).hasMillis(100);
    assertThat(retry.delay(new IOException(), 3)).hasMillis(900);
    retry.multiplier(1);
    assertThat(retry.delay(new IOException(), 9)).hasMillis(100);
    for (double nonsense : new double[] {0.99, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> retry.multiplier(nonsense))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1 or more");
    }
  }

  /** As a circuit breaker in the work throws it, without a cause. */
  @Test
  void run_workThrowsFailsafesOwnException_letsItThrough() {
    CircuitBreaker<Object> breaker = CircuitBreaker.ofDefaults();
    breaker.open();
    assertThatThrownBy(() -> quick().build().run("work", () -> Failsafe.with(breaker).get(() -> 1)))
        .isInstanceOf(CircuitBreakerOpenException.class);
    FailsafeException own = new FailsafeException(new IOException("inner"));
    assertThatThrownBy(
            () ->
                quick()
                    .build()
                    .run(
                        "work",
                        () -> {
                          throw own;
                        }))
        .isSameAs(own);
  }

  @Test
  void onLabel_listenerThatFails_disturbsNothing() throws Exception {
    Retry retry = quick().build();
    retry.onLabel(
        label -> {
          throw new AssertionError("listener of " + label);
        });
    try (CapturedLog log = CapturedLog.of(Retry.class)) {
      assertThat(retry.<String, IOException>run("work", () -> failingUntil(1))).isEqualTo("call 1");
      assertThat(log.lines()).containsExactly("A retry's listener failed; the work goes on.");
    }
  }

  @Test
  void run_otherSideAsksForTooMuch_givesUpAtOnce() {
    Retry retry = quick().retryAfter(failure -> Optional.of(Duration.ofHours(1))).build();
    assertThatThrownBy(() -> retry.run("work", () -> failingUntil(2)))
        .isInstanceOf(IOException.class)
        .hasMessage("call 1");
  }

  @Test
  void runAsync_succeedsAtLast() throws Exception {
    Retry retry = quick().build();
    assertThat(retry.runAsync("work", one, () -> failingUntil(2)).get()).isEqualTo("call 2");
    assertThat(retry.stats("work")).isEqualTo(new RetryStats(1, 1, 0));
  }

  @Test
  void runAsync_failsEveryTime_failsWithTheLastFailure() {
    Retry retry = quick().build();
    assertThatThrownBy(() -> retry.runAsync("work", one, () -> failingUntil(9)).get())
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(IOException.class)
        .hasMessage("call 3");
    assertThat(retry.stats("work").retryExhausted()).isEqualTo(1);
  }

  @Test
  void fromEnvironment_setsAttemptsAndDelay() throws Exception {
    Environment environment =
        new Environment(Map.of("RETRY_ATTEMPTS", "5", "RETRY_BASE_DELAY_MS", "1"));
    Retry retry = Retry.from(environment).build();
    assertThat(retry.<String, IOException>run("work", () -> failingUntil(5))).isEqualTo("call 5");
  }

  @Test
  void attempts_one_isToTryOnce() {
    Retry retry = quick().attempts(1).build();
    assertThatThrownBy(() -> retry.run("work", () -> failingUntil(2))).hasMessage("call 1");
    assertThat(calls).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RETRY_ATTEMPTS", "RETRY_BASE_DELAY_MS"})
  void fromEnvironment_invalid_isRefusedByName(String variable) {
    for (String value : new String[] {"abc", "0", "-1", "", "1.5"}) {
      assertThatThrownBy(() -> Retry.from(new Environment(Map.of(variable, value))))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith(variable + " is '" + value + "'");
    }
  }

  @Test
  void builder_nonsense_isRefused() {
    assertThatThrownBy(() -> Retry.builder().attempts(0)).hasMessageContaining("attempts");
    assertThatThrownBy(() -> Retry.builder().baseDelay(Duration.ZERO))
        .hasMessageContaining("baseDelay");
    assertThatThrownBy(() -> Retry.builder().jitter(Double.NaN)).hasMessageContaining("jitter");
  }

  private static Retry.Builder quick() {
    return Retry.builder().baseDelay(Duration.ofMillis(1)).maxDelay(Duration.ofMillis(2));
  }

  private String failingUntil(int lastCall) throws IOException {
    String call = "call " + calls.incrementAndGet();
    if (calls.get() < lastCall) {
      throw new IOException(call);
    }
    return call;
  }
}
