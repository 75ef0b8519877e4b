package dev.sluice.throttle;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A named bound on how much a process does at once.
 *
 * <pre>{@code
 * Throttle disk = Throttle.of("disk", 2);
 * String text = disk.run("disk_read", () -> Files.readString(file));
 * }</pre>
 *
 * <p>At most {@link #limit()} pieces of work are inside at once. The others wait in the order of
 * their arrival, can be interrupted, and wait no longer and no more of them than the {@linkplain
 * #builder builder} was told. The limit can be {@linkplain #resize changed} at any time.
 *
 * <p>The <em>label</em> says what the work is, for the {@linkplain #stats() figures}; it does not
 * bound anything. Use few of them, known beforehand: figures are kept for each.
 *
 * <p>A throttle is not reentrant. Work that asks the throttle it runs under for another place may
 * wait for itself; take different throttles, always in the same order, or none inside.
 *
 * <p>Thread-safe. Work runs on the thread that calls, except where a method says otherwise.
 */
public final class Throttle {
  private static final Logger LOG = LoggerFactory.getLogger(Throttle.class);

  private final String name;
  private final Gate gate;
  private final int maxWaiting;
  private final Optional<Duration> maxWait;
  private final Executor threads;
  private final Map<String, LabelMeter> meters = new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<ThrottleListener> listeners = new CopyOnWriteArrayList<>();

  private Throttle(Builder builder) {
    name = builder.name;
    maxWaiting = builder.maxWaiting;
    maxWait = builder.maxWait;
    threads = builder.threads;
    gate = new Gate(builder.limit, builder.maxWaiting);
  }

  /**
   * A throttle with this limit, for which any number may wait as long as they like.
   *
   * @param limit how much at once; 0 holds everything until it is {@linkplain #resize raised}
   */
  public static Throttle of(String name, int limit) {
    return builder(name, limit).build();
  }

  /** A throttle with this limit, and more to say about it. */
  public static Builder builder(String name, int limit) {
    return new Builder(name, requireLimit(name, limit));
  }

  /** What it is called in figures and messages. */
  public String name() {
    return name;
  }

  /** How much may be inside at once. */
  public int limit() {
    return gate.limit();
  }

  /**
   * Changes the limit, at once. A higher one lets in who waits. A lower one lets what is inside
   * finish, and nobody in until there is less inside than it. 0 holds: everybody waits.
   */
  public void resize(int limit) {
    int before = gate.limit();
    gate.resize(requireLimit(name, limit));
    LOG.info("Throttle '{}' has a limit of {} now, was {}.", name, limit, before);
  }

  /** How much is inside. Above {@link #limit()} only after that was lowered. */
  public int inFlight() {
    return gate.inside();
  }

  /** How many wait. */
  public int queueDepth() {
    return gate.waiting();
  }

  /** All of that in a line. */
  public ThrottleFigures figures() {
    long succeeded = stats().values().stream().mapToLong(LabelStats::successTotal).sum();
    long failed = stats().values().stream().mapToLong(LabelStats::failureTotal).sum();
    return new ThrottleFigures(name, limit(), inFlight(), queueDepth(), succeeded, failed);
  }

  /** What went through so far, by label. */
  public SortedMap<String, LabelStats> stats() {
    SortedMap<String, LabelStats> stats = new TreeMap<>();
    meters.forEach((label, meter) -> stats.put(label, meter.stats()));
    return Collections.unmodifiableSortedMap(stats);
  }

  /** What went through so far under this label; all zero if nothing did. */
  public LabelStats stats(String label) {
    return meters.getOrDefault(label, new LabelMeter(label)).stats();
  }

  /** Lets somebody hear what goes through from now on. */
  public void addListener(ThrottleListener listener) {
    listeners.add(listener);
    meters.keySet().forEach(label -> tell(listener, each -> each.onLabel(this, label)));
  }

  /**
   * Does something inside, on this thread.
   *
   * @return what comes of it
   * @throws E what the work throws
   * @throws InterruptedException if the thread is interrupted while it waits, here or in the work
   * @throws ThrottleTimeoutException if there is no room within the {@link Builder#maxWait}
   * @throws ThrottleFullException if {@link Builder#maxWaiting} wait already
   */
  public <T, E extends Exception> T run(String label, Work<? extends T, E> work)
      throws E, InterruptedException {
    return runIn(acquire(label), work);
  }

  /** The same for work without a result. */
  public <E extends Exception> void run(String label, Action<E> work)
      throws E, InterruptedException {
    run(label, asWork(work));
  }

  /**
   * Does something inside, on a thread of its own: a virtual one where the JVM has them. While it
   * waits it needs no thread.
   *
   * @return what comes of it. To cancel it, or to complete it in any other way, takes the work out
   *     of the line, or interrupts it. It fails with what the work throws, or what {@link #run}
   *     throws without starting it.
   */
  public <T> CompletableFuture<T> runAsync(String label, Work<? extends T, ?> work) {
    AsyncRun<T> run = new AsyncRun<>(this, meter(label), work, () -> {});
    run.start();
    return run.future();
  }

  /**
   * Takes a place, to be given back by {@link Permit#close()}; for work that {@link #run} cannot
   * enclose.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws ThrottleTimeoutException if there is no room within the {@link Builder#maxWait}
   * @throws ThrottleFullException if {@link Builder#maxWaiting} wait already
   */
  public Permit acquire(String label) throws InterruptedException {
    return enter(label, maxWait);
  }

  /** The same, waiting no longer than this instead; not at all if it is zero or less. */
  public Permit acquire(String label, Duration timeout) throws InterruptedException {
    return enter(label, Optional.of(timeout));
  }

  /** Takes a place if there is one now and nobody waits for it. */
  public Optional<Permit> tryAcquire(String label) {
    Permit permit = new Permit(this, meter(label));
    return gate.tryEnter() ? Optional.of(permit.begin(0)) : Optional.empty();
  }

  private Permit enter(String label, Optional<Duration> timeout) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    LabelMeter meter = meter(label);
    // Made before the place is taken: once inside, nothing may fail.
    Permit permit = new Permit(this, meter);
    if (gate.tryEnter()) {
      return permit.begin(0);
    }
    if (timeout.isPresent() && (timeout.get().isZero() || timeout.get().isNegative())) {
      meter.refused();
      throw new ThrottleTimeoutException(this, label, timeout.get());
    }
    long start = System.nanoTime();
    Gate.Entry entry = null;
    meter.queued();
    try {
      entry = gate.enter(timeout.map(Throttle::nanos).orElse(Gate.FOREVER));
    } finally {
      meter.leftQueue();
      if (entry != Gate.Entry.ENTERED) {
        meter.refused();
      }
    }
    return switch (entry) {
      case FULL -> throw new ThrottleFullException(this, label, maxWaiting);
      case TIMED_OUT -> throw new ThrottleTimeoutException(this, label, timeout.orElseThrow());
      default -> permit.begin(System.nanoTime() - start);
    };
  }

  /** Does the work, and gives the permit back whatever comes of it. */
  static <T, E extends Exception> T runIn(Permit permit, Work<? extends T, E> work)
      throws E, InterruptedException {
    boolean succeeded = false;
    try {
      T result = work.run();
      succeeded = true;
      return result;
    } finally {
      permit.end(succeeded);
    }
  }

  static <E extends Exception> Work<Void, E> asWork(Action<E> action) {
    return () -> {
      action.run();
      return null;
    };
  }

  LabelMeter meter(String label) {
    LabelMeter known = meters.get(label);
    return known == null ? newMeter(label) : known;
  }

  private LabelMeter newMeter(String label) {
    LabelMeter created = new LabelMeter(label);
    LabelMeter other = meters.putIfAbsent(label, created);
    if (other != null) {
      return other;
    }
    tellAll(listener -> listener.onLabel(this, label));
    return created;
  }

  private void tellAll(Consumer<ThrottleListener> news) {
    for (ThrottleListener listener : listeners) {
      tell(listener, news);
    }
  }

  private static void tell(ThrottleListener listener, Consumer<ThrottleListener> news) {
    try {
      news.accept(listener);
    } catch (Throwable e) { // An Error too: past it, a place would be lost.
      LOG.error("A throttle's listener failed; the work goes on.", e);
    }
  }

  Gate gate() {
    return gate;
  }

  /** Where {@link #runAsync} gets its threads. */
  Executor threads() {
    return threads;
  }

  int maxWaiting() {
    return maxWaiting;
  }

  Optional<Duration> maxWait() {
    return maxWait;
  }

  /** Durations of centuries are as good as forever. */
  static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return Gate.FOREVER;
    }
  }

  private static int requireLimit(String name, int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException(
          "The limit of throttle '%s' cannot be %d. Use 1 or more, or 0 to hold everything."
              .formatted(name, limit));
    }
    return limit;
  }

  @Override
  public String toString() {
    return "Throttle '%s' (%d of %d in flight, %d waiting)"
        .formatted(name, inFlight(), limit(), queueDepth());
  }

  /**
   * A place inside a throttle. It belongs to nobody in particular: any thread may give it back. To
   * close it again does nothing, so a place is never given back twice.
   */
  public static final class Permit implements AutoCloseable {
    private final Throttle throttle;
    private final LabelMeter meter;
    private final AtomicBoolean given = new AtomicBoolean();
    private long start;

    Permit(Throttle throttle, LabelMeter meter) {
      this.throttle = throttle;
      this.meter = meter;
    }

    Permit begin(long waitedNanos) {
      start = System.nanoTime();
      meter.started(waitedNanos);
      if (!throttle.listeners.isEmpty()) {
        Duration waited = Duration.ofNanos(waitedNanos);
        throttle.tellAll(each -> each.onStart(throttle, meter.label(), waited));
      }
      return this;
    }

    /** Gives the place back, and counts what was done as a success. */
    @Override
    public void close() {
      end(true);
    }

    void end(boolean succeeded) {
      if (!given.compareAndSet(false, true)) {
        return;
      }
      long nanos = System.nanoTime() - start;
      // Counted before somebody else can enter: the figures never show more than the limit.
      meter.ended(nanos, succeeded);
      throttle.gate.leave();
      if (!throttle.listeners.isEmpty()) {
        Duration ran = Duration.ofNanos(nanos);
        throttle.tellAll(each -> each.onEnd(throttle, meter.label(), ran, succeeded));
      }
    }
  }

  /** Makes a throttle. */
  public static final class Builder {
    private final String name;
    private final int limit;
    private int maxWaiting = Integer.MAX_VALUE;
    private Optional<Duration> maxWait = Optional.empty();
    private Executor threads = Threads::start;

    private Builder(String name, int limit) {
      if (name.isBlank()) {
        throw new IllegalArgumentException("A throttle needs a name, such as 'disk'.");
      }
      this.name = name;
      this.limit = limit;
    }

    /** How many may wait; the next is refused. Default: any number. 0: nobody waits. */
    public Builder maxWaiting(int most) {
      if (most < 0) {
        throw new IllegalArgumentException(
            "maxWaiting of throttle '%s' cannot be %d. Use 0 or more.".formatted(name, most));
      }
      maxWaiting = most;
      return this;
    }

    /** How long to wait where the caller does not say. Default: as long as it takes. */
    public Builder maxWait(Duration longest) {
      if (longest.isNegative()) {
        throw new IllegalArgumentException(
            "maxWait of throttle '%s' cannot be %s. Use zero or more.".formatted(name, longest));
      }
      maxWait = Optional.of(longest);
      return this;
    }

    /** Where {@link Throttle#runAsync} gets its threads. */
    Builder threads(Executor executor) {
      threads = executor;
      return this;
    }

    /** The throttle. */
    public Throttle build() {
      return new Throttle(this);
    }
  }
}
