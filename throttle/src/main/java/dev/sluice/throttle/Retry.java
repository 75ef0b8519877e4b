package dev.sluice.throttle;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries again what may succeed the next time, after delays that grow.
 *
 * <pre>{@code
 * Retry retry = Retry.fromEnvironment();
 * String page = retry.run("http_get", throttles.http(), () -> fetch(url));
 * }</pre>
 *
 * <p>Each attempt takes a place in the throttle for itself and gives it back before the next delay
 * begins: nobody waits behind somebody who sleeps. That is why the throttle is handed over, rather
 * than wrapped around.
 *
 * <p>Failures are told apart by {@link Builder#retryIf}. By default every {@code Exception} is
 * worth another try, except an interrupt, a cancellation, and a {@link ThrottleException}: a
 * throttle that has no room was told how long to wait.
 *
 * <p>Immutable and thread-safe, on <a href="https://failsafe.dev">Failsafe</a>.
 */
public final class Retry {
  /** How often in all, the first time included. */
  public static final int DEFAULT_ATTEMPTS = 3;

  /** The delay before the second attempt. */
  public static final Duration DEFAULT_BASE_DELAY = Duration.ofMillis(500);

  /** The longest delay that multiplying leads to. */
  public static final Duration DEFAULT_MAX_DELAY = Duration.ofSeconds(30);

  /** The longest delay that a server may ask for. */
  public static final Duration DEFAULT_MAX_RETRY_AFTER = Duration.ofMinutes(2);

  private static final Logger LOG = LoggerFactory.getLogger(Retry.class);
  private static final double DEFAULT_MULTIPLIER = 2;
  private static final double DEFAULT_JITTER = 0.2;

  private final Builder settings;
  private final Map<String, Counters> counters = new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<Consumer<String>> labelListeners =
      new CopyOnWriteArrayList<>();

  /** What is counted under one label. */
  private static final class Counters {
    private final LongAdder attempts = new LongAdder();
    private final LongAdder successes = new LongAdder();
    private final LongAdder exhausted = new LongAdder();

    private RetryStats stats() {
      return new RetryStats(attempts.sum(), successes.sum(), exhausted.sum());
    }
  }

  private Retry(Builder settings) {
    this.settings = settings;
  }

  /** Three attempts, half a second before the second, twice as long before each that follows. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * As {@code RETRY_ATTEMPTS} (default 3) and {@code RETRY_BASE_DELAY_MS} (default 500) want it.
   *
   * @throws InvalidSettingException if one of them is not a whole number from 1
   */
  public static Retry fromEnvironment() {
    return from(Environment.system()).build();
  }

  /** The same from these variables, with more to say. */
  public static Builder from(Environment environment) {
    Builder builder = builder();
    environment.positiveInt("RETRY_ATTEMPTS").ifPresent(builder::attempts);
    environment
        .positiveInt("RETRY_BASE_DELAY_MS")
        .ifPresent(millis -> builder.baseDelay(Duration.ofMillis(millis)));
    return builder;
  }

  /**
   * Does something, and again if it fails, under no throttle.
   *
   * @param label what it is, for figures and logs
   * @throws E what the last attempt threw
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <T, E extends Exception> T run(String label, Work<? extends T, E> work)
      throws E, InterruptedException {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try {
      return Failsafe.with(this.<T>policy(label)).get(() -> noting(thrown, work));
    } catch (FailsafeException e) {
      if (e == thrown.get()) {
        throw e; // The work uses Failsafe, too, and this is its own.
      }
      if (e.getCause() instanceof InterruptedException interrupt) {
        // Failsafe sets the flag for callers that see no InterruptedException; ours do.
        Thread.interrupted();
        throw interrupt;
      }
      @SuppressWarnings("unchecked") // Failsafe wraps what is checked, and work throws no other.
      E cause = (E) e.getCause();
      throw cause;
    }
  }

  private static <T> T noting(AtomicReference<Throwable> thrown, Work<? extends T, ?> work)
      throws Exception {
    try {
      return work.run();
    } catch (Exception | Error e) {
      thrown.set(e);
      throw e;
    }
  }

  /**
   * Does something in a throttle, and again if it fails; each attempt takes a place of its own, and
   * none is held during a delay.
   *
   * @throws E what the last attempt threw
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <T, E extends Exception> T run(String label, Throttle throttle, Work<? extends T, E> work)
      throws E, InterruptedException {
    Work<T, Exception> throttled = () -> throttle.<T, E>run(label, work);
    try {
      return run(label, throttled);
    } catch (InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      @SuppressWarnings("unchecked") // A throttle throws nothing else that is checked.
      E cause = (E) e;
      throw cause;
    }
  }

  /** The same for work without a result. */
  public <E extends Exception> void run(String label, Throttle throttle, Action<E> work)
      throws E, InterruptedException {
    run(label, throttle, Throttle.asWork(work));
  }

  /**
   * The same without waiting for it: needs no thread, neither for the throttle nor for a delay. To
   * cancel the future ends it.
   */
  public <T> CompletableFuture<T> runAsync(
      String label, Throttle throttle, Work<? extends T, ?> work) {
    return Failsafe.with(this.<T>policy(label))
        .getStageAsync(() -> throttle.<T>runAsync(label, work));
  }

  /** What was tried again so far, by label. */
  public SortedMap<String, RetryStats> stats() {
    SortedMap<String, RetryStats> stats = new TreeMap<>();
    counters.forEach((label, counter) -> stats.put(label, counter.stats()));
    return Collections.unmodifiableSortedMap(stats);
  }

  /** What was tried again so far under this label; all zero if nothing was. */
  public RetryStats stats(String label) {
    return counters.getOrDefault(label, new Counters()).stats();
  }

  /** Tells about every label, those in use and those to come. */
  public void onLabel(Consumer<String> listener) {
    labelListeners.add(listener);
    counters.keySet().forEach(label -> tell(listener, label));
  }

  private static void tell(Consumer<String> listener, String label) {
    try {
      listener.accept(label);
    } catch (Throwable e) {
      LOG.error("A retry's listener failed; the work goes on.", e);
    }
  }

  private Counters counters(String label) {
    Counters known = counters.get(label);
    if (known != null) {
      return known;
    }
    Counters created = new Counters();
    Counters other = counters.putIfAbsent(label, created);
    if (other != null) {
      return other;
    }
    labelListeners.forEach(listener -> tell(listener, label));
    return created;
  }

  private <T> RetryPolicy<T> policy(String label) {
    Counters counter = counters(label);
    return RetryPolicy.<T>builder()
        .withMaxAttempts(settings.attempts)
        .handleIf(settings::isRetryable)
        .withDelayFn(
            context -> settings.delay(context.getLastException(), context.getAttemptCount()))
        .onRetry(retry -> counter.attempts.increment())
        .onRetryScheduled(
            retry ->
                LOG.info(
                    "'{}' failed, attempt {} of {}; again in {}: {}",
                    label,
                    retry.getAttemptCount(),
                    settings.attempts,
                    retry.getDelay(),
                    String.valueOf(retry.getLastException())))
        .onRetriesExceeded(
            failure -> {
              counter.exhausted.increment();
              LOG.warn(
                  "'{}' failed, attempt {} of {}; given up: {}",
                  label,
                  failure.getAttemptCount(),
                  settings.attempts,
                  String.valueOf(failure.getException()));
            })
        .onSuccess(
            success -> {
              if (success.getAttemptCount() > 1) {
                counter.successes.increment();
              }
            })
        .build();
  }

  /** Says how to try again. */
  public static final class Builder {
    private int attempts = DEFAULT_ATTEMPTS;
    private Duration baseDelay = DEFAULT_BASE_DELAY;
    private double multiplier = DEFAULT_MULTIPLIER;
    private Duration maxDelay = DEFAULT_MAX_DELAY;
    private double jitter = DEFAULT_JITTER;
    private Predicate<? super Exception> retryable = failure -> true;
    private Function<? super Exception, Optional<Duration>> retryAfter =
        failure -> Optional.empty();
    private Duration maxRetryAfter = DEFAULT_MAX_RETRY_AFTER;

    private Builder() {}

    private Builder(Builder other) {
      attempts = other.attempts;
      baseDelay = other.baseDelay;
      multiplier = other.multiplier;
      maxDelay = other.maxDelay;
      jitter = other.jitter;
      retryable = other.retryable;
      retryAfter = other.retryAfter;
      maxRetryAfter = other.maxRetryAfter;
    }

    /** How often in all, at least 1. Default: 3. */
    public Builder attempts(int most) {
      if (most < 1) {
        throw new IllegalArgumentException(
            "attempts cannot be %d. Use 1 or more; 1 is to try once.".formatted(most));
      }
      attempts = most;
      return this;
    }

    /** The delay before the second attempt. Default: 500 ms. */
    public Builder baseDelay(Duration delay) {
      baseDelay = requirePositive("baseDelay", delay);
      return this;
    }

    /** How many times as long each delay is as the one before, at least 1. Default: 2. */
    public Builder multiplier(double times) {
      if (!(times >= 1 && times <= Double.MAX_VALUE)) {
        throw new IllegalArgumentException(
            "multiplier cannot be %s. Use 1 or more; 1 leaves all delays the same, 2 doubles them."
                .formatted(times));
      }
      multiplier = times;
      return this;
    }

    /** Where growing delays end; a longer base delay stays as it is. Default: 30 seconds. */
    public Builder maxDelay(Duration delay) {
      maxDelay = requirePositive("maxDelay", delay);
      return this;
    }

    /** By which part of itself a delay varies at random, from 0 to 1. Default: 0.2. */
    public Builder jitter(double part) {
      if (!(part >= 0 && part <= 1)) {
        throw new IllegalArgumentException(
            "jitter cannot be %s. Use 0 to 1; 0.2 varies a delay by a fifth.".formatted(part));
      }
      jitter = part;
      return this;
    }

    /**
     * Which failures are worth another try; interrupts, cancellations and a throttle's own refusals
     * never are. Default: all the others.
     */
    public Builder retryIf(Predicate<? super Exception> isRetryable) {
      retryable = isRetryable;
      return this;
    }

    /**
     * How long the other side asks to be left alone, if this failure says so: it is left alone at
     * least that long, and never shorter than the computed delay.
     */
    public Builder retryAfter(Function<? super Exception, Optional<Duration>> asked) {
      retryAfter = asked;
      return this;
    }

    /**
     * The longest that the other side may ask for; if it asks for more, the failure is final, and
     * the caller can do something better than sleep. Default: 2 minutes.
     */
    public Builder maxRetryAfter(Duration longest) {
      maxRetryAfter = requirePositive("maxRetryAfter", longest);
      return this;
    }

    /** The retry. */
    public Retry build() {
      return new Retry(new Builder(this));
    }

    private boolean isRetryable(Throwable failure) {
      return failure instanceof Exception e
          && !(e instanceof InterruptedException
              || e instanceof CancellationException
              || e instanceof ThrottleException)
          && retryable.test(e)
          && asked(e).map(delay -> delay.compareTo(maxRetryAfter) <= 0).orElse(true);
    }

    /**
     * How long to wait after this failure of this attempt, counted from 1. Only our own delay
     * varies: what the other side asked for is kept to, and if it asked for none, that is no leave
     * to storm it.
     */
    Duration delay(Throwable failure, int attempt) {
      double most = Math.max(baseDelay.toNanos(), maxDelay.toNanos());
      double own = Math.min(most, baseDelay.toNanos() * Math.pow(multiplier, attempt - 1.0));
      double varied = own * (1 + jitter * ThreadLocalRandom.current().nextDouble(-1, 1));
      Duration delay = Duration.ofNanos((long) varied);
      return asked(failure).filter(asked -> asked.compareTo(delay) > 0).orElse(delay);
    }

    private Optional<Duration> asked(Throwable failure) {
      return failure instanceof Exception e ? retryAfter.apply(e) : Optional.empty();
    }

    private static Duration requirePositive(String name, Duration delay) {
      if (delay.isZero() || delay.isNegative()) {
        throw new IllegalArgumentException(
            "%s cannot be %s. Use a millisecond or more.".formatted(name, delay));
      }
      return delay;
    }
  }
}
