package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.SlotLease;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.SubmitOptions;
import dev.sluice.Task;
import dev.sluice.WorkerBuilder;
import dev.sluice.spi.Capability;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.pollinterval.PollInterval;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * One topic of the contract. Every test gets a namespace of its own; whatever it opens is closed
 * after it, and then the store's counters must equal the holders on record, whatever the test was
 * about.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
abstract class ContractTopic {
  /** The lease of workers that are not meant to lose it. */
  static final Duration LONG_LEASE = Duration.ofMinutes(2);

  /** How long to wait for what must happen; a slow machine is no failure. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final PollInterval FREQUENT_THEN_RARE =
      (polls, last) -> Duration.ofMillis(Math.min(10L * polls, 100));

  private static final Group CLOCK = Group.of("clock");
  private static final Duration SHORTEST = Duration.ofMillis(1);

  private final Supplier<StoreFixture> opener;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  StoreFixture fixture;
  Sluice sluice;
  JobStore store;

  ContractTopic(Supplier<StoreFixture> opener) {
    this.opener = opener;
  }

  @BeforeEach
  final void openNamespace() {
    fixture = opener.get();
    sluice = closing(fixture.open());
    store = closing(fixture.openStore());
  }

  @AfterEach
  final void closeNamespaceAndRecount() throws Exception {
    try {
      while (!opened.isEmpty()) {
        opened.pop().close();
      }
      assertCountersAgree();
    } finally {
      if (fixture != null) {
        fixture.close();
      }
    }
  }

  /** Closes this after the test, in reverse order of opening. */
  final <C extends AutoCloseable> C closing(C closeable) {
    opened.push(closeable);
    return closeable;
  }

  /** A namespace beside the test's own; the caller closes it. */
  final StoreFixture openAnotherNamespace() {
    return opener.get();
  }

  /** Another process on the same namespace. */
  final Sluice anotherProcess() {
    return closing(fixture.open());
  }

  final boolean can(Capability capability) {
    return store.capabilities().contains(capability);
  }

  /** The lease of workers that are meant to lose it, once they have done what the test wants. */
  final Duration shortLease() {
    return fixture.shortLease();
  }

  /** What the store counts must equal what it has on record, at any moment. */
  final void assertCountersAgree() {
    assertThat(drift(fixture)).as("counters that differ from the holders on record").isEmpty();
  }

  /** The counters of a namespace that differ from the holders on record. */
  static Map<String, StoreFixture.SlotCount> drift(StoreFixture fixture) {
    Map<String, StoreFixture.SlotCount> drift = new TreeMap<>(fixture.recount());
    drift.values().removeIf(StoreFixture.SlotCount::agrees);
    return drift;
  }

  /**
   * Looks often at first, then less and less: what takes long may be late by a tenth of a second.
   */
  static ConditionFactory await() {
    return Awaitility.await().atMost(PATIENCE).pollInterval(FREQUENT_THEN_RARE);
  }

  /**
   * Waits until this moment has passed by the store's clock, without having it clean anything up: a
   * permit that is made to end then or later has ended. A store that knows the time to the second
   * only may tell each process a little later than another.
   */
  final void awaitStoreTime(Instant moment) {
    Duration lease = Duration.ofMinutes(1);
    Duration left = Duration.between(storeTime(), moment);
    clockPermit(left.compareTo(SHORTEST) < 0 ? SHORTEST : left).orElseThrow();
    SlotLease next = await().until(() -> clockPermit(lease), Optional::isPresent).orElseThrow();
    sluice.concurrency().release(next);
  }

  /** What time it is by the store's clock. */
  final Instant storeTime() {
    Duration lease = Duration.ofMinutes(1);
    SlotLease now = clockPermit(lease).orElseThrow();
    sluice.concurrency().release(now);
    return now.expiresAt().minus(lease);
  }

  private Optional<SlotLease> clockPermit(Duration lease) {
    return sluice.concurrency().tryAcquire(CLOCK, OptionalInt.of(1), "clock", "clock", lease);
  }

  // Tasks and jobs

  static Task<Integer> task(String name) {
    return Task.named(name, Integer.class).build();
  }

  static Task<Integer> task(String name, int limit) {
    return Task.named(name, Integer.class).maxConcurrent(limit).build();
  }

  final UUID submit(Task<Integer> task) {
    return sluice.submit(task, 0).id();
  }

  final UUID submit(Task<Integer> task, UnaryOperator<SubmitOptions> options) {
    return sluice.submit(task, 0, options).id();
  }

  final List<UUID> submit(Task<Integer> task, int count) {
    return submit(task, count, o -> o);
  }

  final List<UUID> submit(Task<Integer> task, int count, UnaryOperator<SubmitOptions> options) {
    return sluice.submitAll(task, IntStream.range(0, count).boxed().toList(), options).stream()
        .map(Submission::id)
        .toList();
  }

  final JobInfo job(UUID id) {
    return sluice.jobs().get(id).orElseThrow();
  }

  final JobState state(UUID id) {
    return job(id).state();
  }

  final void awaitState(UUID id, JobState state) {
    await().untilAsserted(() -> assertThat(state(id)).isEqualTo(state));
  }

  final void awaitCount(JobState state, long count) {
    await().untilAsserted(() -> assertThat(sluice.jobs().counts()).containsEntry(state, count));
  }

  static Set<UUID> ids(Collection<ClaimedJob> jobs) {
    Set<UUID> ids = new HashSet<>();
    jobs.forEach(job -> ids.add(job.id()));
    return ids;
  }

  final int active(Group group) {
    return sluice.concurrency().status(group).active();
  }

  final int active(String group) {
    return active(Group.of(group));
  }

  // Workers moved by hand

  static WorkerRegistration registration(Duration lease, Task<?>... tasks) {
    Set<String> names = new HashSet<>();
    Map<Group, Integer> limits = new HashMap<>();
    for (Task<?> task : tasks) {
      names.add(task.name());
      limits.putAll(task.limits());
    }
    return new WorkerRegistration(
        "manual", Set.of(SubmitOptions.DEFAULT_QUEUE), names, limits, lease);
  }

  final ManualWorker manualWorker(Task<?>... tasks) {
    return manualWorker(LONG_LEASE, tasks);
  }

  final ManualWorker manualWorker(Duration lease, Task<?>... tasks) {
    return manualWorker(registration(lease, tasks));
  }

  final ManualWorker manualWorker(WorkerRegistration registration) {
    return closing(new ManualWorker(store.openSession(registration)));
  }

  /** Sets an operator's limit while these workers listen, as live ones do. */
  final void setLimit(Group group, int limit, ManualWorker... listening) throws Exception {
    whileListening(() -> sluice.concurrency().setLimit(group, limit), listening);
  }

  final void whileListening(Runnable change, ManualWorker... listening) throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<?> done = executor.submit(change);
      await()
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                for (ManualWorker worker : listening) {
                  worker.reconcile();
                }
                return done.isDone();
              });
      done.get();
    } finally {
      executor.shutdownNow();
    }
    for (ManualWorker worker : listening) {
      worker.reconcile();
    }
  }

  // Workers that run by themselves

  /** A builder with bounds that suit tests. */
  final WorkerBuilder worker() {
    return worker(sluice);
  }

  static WorkerBuilder worker(Sluice process) {
    return process
        .worker()
        .concurrency(16)
        .lease(Duration.ofSeconds(10))
        .grace(Duration.ofSeconds(2))
        .poll(Duration.ofMillis(100));
  }

  /** An interval so long that only a wake-up explains a prompt answer, if the store has those. */
  final Duration pollUnlessPushed() {
    return can(Capability.PUSH_WAKE_UP) ? PATIENCE.multipliedBy(2) : Duration.ofMillis(100);
  }

  // Threads

  /** Runs the same on many threads that start together; the results, in no particular order. */
  static <T> List<T> onThreads(int threads, Callable<T> work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      CyclicBarrier start = new CyclicBarrier(threads);
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        futures.add(
            executor.submit(
                () -> {
                  start.await();
                  return work.call();
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } finally {
      executor.shutdownNow();
    }
  }
}
