package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/**
 * A few processes on one {@link SimulatedBucket}, played through from a seed: which process sends
 * its next request, what becomes of it, how time passes and who dies follow from the seed alone.
 *
 * <p>Each process is a thread, and exactly one of them runs at a time: it gives its turn away with
 * every request. Between two turns the world is looked at.
 */
final class Simulation {
  /** How the protocol is broken on purpose. */
  enum Flaw {
    NONE,
    /** Every commit has the same nonce. */
    SAME_NONCE,
    /** Observers give workers up before a lease has passed. */
    HASTY_OBSERVERS,
    /** The bucket replaces objects whatever their tag. */
    TAGS_IGNORED
  }

  static final int LIMIT = 2;
  static final String LIMITED = "limited";
  static final Duration LEASE = Duration.ofSeconds(3);
  private static final int PROCESSES = 3;
  private static final int TURNS = 500;

  private final Random random;
  private final Flaw flaw;
  private final SimulatedBucket bucket = new SimulatedBucket(this);
  private final List<SimulatedWorker> workers = new ArrayList<>();
  private final Semaphore scheduler = new Semaphore(0);
  private final Map<UUID, Long> latestClaim = new HashMap<>();
  private final Map<UUID, Long> succeeded = new HashMap<>();
  private final Set<UUID> acknowledged = new HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private SimulatedWorker current;
  private long nanos;
  private int turns;
  private boolean calm;

  Simulation(long seed, Flaw flaw) {
    this.random = new Random(seed);
    this.flaw = flaw;
  }

  /** Plays; what went against the rules. */
  List<String> play() {
    for (int i = 0; i < PROCESSES; i++) {
      workers.add(new SimulatedWorker(this, i));
    }
    workers.forEach(SimulatedWorker::start);
    while (violations.isEmpty() && workers.stream().anyMatch(worker -> !worker.isDone())) {
      List<SimulatedWorker> able = workers.stream().filter(worker -> !worker.isDone()).toList();
      pass(Duration.ofMillis(random.nextInt(40)));
      if (random.nextInt(20) == 0) {
        bucket.landOne();
      }
      turns++;
      give(able.get(random.nextInt(able.size())));
      check();
    }
    if (violations.isEmpty()) {
      settle();
    } else {
      calm = true;
      workers.forEach(SimulatedWorker::abandon);
    }
    return violations;
  }

  /** Everyone is gone, late puts arrive, and one healthy process finishes what is left. */
  private void settle() {
    calm = true;
    while (bucket.hasLate()) {
      bucket.landOne();
    }
    workers.clear();
    SimulatedWorker heir = new SimulatedWorker(this, PROCESSES);
    workers.add(heir);
    heir.startAsHeir();
    while (violations.isEmpty() && !heir.isDone()) {
      pass(Duration.ofMillis(1));
      give(heir);
      check();
    }
  }

  private void give(SimulatedWorker worker) {
    current = worker;
    worker.turn().release();
    scheduler.acquireUninterruptibly();
    current = null;
  }

  // What the world is like

  Random random() {
    return random;
  }

  Flaw flaw() {
    return flaw;
  }

  SimulatedBucket bucket() {
    return bucket;
  }

  boolean isOver() {
    return turns > TURNS;
  }

  /** A number below 1,000, low ones meaning trouble; none once it is calm. */
  int chance() {
    return calm ? 999 : random.nextInt(1_000);
  }

  boolean crashes() {
    return !calm && !isOver() && random.nextInt(250) == 0;
  }

  long nanoTime() {
    return nanos;
  }

  void pass(Duration time) {
    nanos += time.toNanos();
  }

  /** As buckets tell it. */
  Instant wallClock() {
    return Instant.ofEpochSecond(1_800_000_000L + nanos / 1_000_000_000L);
  }

  /** Gives the turn of the process that is speaking away, and waits for the next. */
  void yieldTurn() {
    SimulatedWorker speaking = current;
    if (speaking.isAbandoned()) {
      throw new SimulatedBucket.Crash();
    }
    scheduler.release();
    speaking.turn().acquireUninterruptibly();
    if (speaking.isAbandoned()) {
      throw new SimulatedBucket.Crash();
    }
  }

  void ended() {
    scheduler.release();
  }

  // What must be true

  private void check() {
    int running = workers.stream().mapToInt(SimulatedWorker::runningLimited).sum();
    if (running > LIMIT) {
      violations.add("%d jobs run at a limit of %d".formatted(running, LIMIT));
    }
  }

  void violation(String what) {
    violations.add(what);
  }

  /** Answers may overtake each other, so what is heard last need not have happened last. */
  void claimed(UUID job, long token) {
    latestClaim.merge(job, token, Math::max);
    checkLastClaim(job);
  }

  void succeeded(UUID job, long token) {
    if (succeeded.put(job, token) != null) {
      violation("job %s succeeded twice".formatted(job));
    }
    checkLastClaim(job);
  }

  private void checkLastClaim(UUID job) {
    if (succeeded.containsKey(job) && latestClaim.get(job) > succeeded.get(job)) {
      violation(
          "job %s succeeded under the token %d although it was given out under %d"
              .formatted(job, succeeded.get(job), latestClaim.get(job)));
    }
  }

  void acknowledged(UUID job) {
    acknowledged.add(job);
  }

  /** Once everything is done: every job that was acknowledged ended, and ended once. */
  void checkEnd(Map<JobState, Long> counts, Map<UUID, Integer> ends, int heldSlots) {
    for (UUID job : acknowledged) {
      if (ends.getOrDefault(job, 0) != 1) {
        violation("job %s ended %d times".formatted(job, ends.getOrDefault(job, 0)));
      }
    }
    long unfinished =
        counts.entrySet().stream()
            .filter(entry -> !entry.getKey().finished())
            .mapToLong(Map.Entry::getValue)
            .sum();
    if (unfinished > 0) {
      violation("%d jobs never ended: %s".formatted(unfinished, counts));
    }
    if (heldSlots > 0) {
      violation("%d slots are left".formatted(heldSlots));
    }
  }

  /** A job about to be submitted. */
  NewJob newJob() {
    UUID id = new UUID(random.nextLong(), random.nextLong());
    boolean limited = random.nextInt(3) > 0;
    return new NewJob(
        new NewJob.Identity(id, random.nextInt(5) == 0, Optional.empty()),
        limited ? LIMITED : "free",
        new NewJob.Place("default", random.nextInt(3)),
        new NewJob.Timing(
            Optional.empty(), Duration.ofMillis(random.nextInt(2) * 200L), Optional.empty()),
        new NewJob.Concurrency(
            random.nextBoolean()
                ? List.of(Group.of(limited ? LIMITED : "free").key("k"))
                : List.of(),
            Optional.empty(),
            OptionalInt.empty(),
            OnLimit.WAIT),
        "0");
  }
}
