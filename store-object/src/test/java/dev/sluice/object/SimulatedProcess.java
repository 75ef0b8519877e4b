package dev.sluice.object;

import dev.sluice.SluiceException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/**
 * One life of a process in a {@link Simulation}: a store, a clock that nobody else has, a worker, a
 * user, and an end. Whoever comes after it is another process.
 */
final class SimulatedProcess implements SimulatedThreads.Host {
  private final Simulation simulation;
  private final int number;
  private final long clockOffset;
  private final RandomDraws draws;
  private final Flaw flaw;
  private final LongSupplier clock;
  private ObjectJobStore store;
  private SimulatedWorker worker;
  private boolean dead;
  private boolean stopping;
  private long frozenUntil;

  SimulatedProcess(Simulation simulation, int number, Flaw flaw) {
    this.simulation = simulation;
    this.number = number;
    // Monotonic clocks begin anywhere, below zero too.
    this.clockOffset = simulation.random().nextLong(-(1L << 60), 1L << 60);
    this.flaw = flaw;
    this.clock = flaw.clock(this::nanoTime);
    this.draws = new RandomDraws(simulation.random(), flaw == Flaw.SAME_NONCE);
  }

  int number() {
    return number;
  }

  Simulation simulation() {
    return simulation;
  }

  ObjectJobStore store() {
    return store;
  }

  /** How its part of the protocol is broken. */
  Flaw flaw() {
    return flaw;
  }

  RandomDraws draws() {
    return draws;
  }

  /** Its worker; null before there is one. */
  SimulatedWorker worker() {
    return worker;
  }

  /** This process's monotonic clock. */
  long nanoTime() {
    return clockOffset + simulation.threads().now();
  }

  /** What it takes for this clock. */
  LongSupplier clock() {
    return clock;
  }

  void start(long delay, Runnable life) {
    simulation.threads().start(this, delay, life);
  }

  @Override
  public boolean isDead() {
    return dead;
  }

  @Override
  public long frozenUntil() {
    return frozenUntil;
  }

  @Override
  public long stagger() {
    return simulation.random().nextLong(50_000_000);
  }

  /** Whether it should come to an end in good order. */
  boolean isStopping() {
    return stopping;
  }

  void stop() {
    stopping = true;
  }

  void crash() {
    if (!dead) {
      dead = true;
      simulation.note(() -> "        process " + number + " is dead");
      simulation.threads().wakeAll(this);
      simulation.died(this);
    }
  }

  /** Nothing of it goes on for so long, its clock excepted. */
  void freeze(long nanos) {
    frozenUntil = simulation.threads().now() + nanos;
    long until = frozenUntil / 1_000;
    simulation.note(() -> "        process " + number + " freezes until " + until + " us");
  }

  /** Gives it a worker. */
  SimulatedWorker hire() {
    worker = new SimulatedWorker(this);
    return worker;
  }

  /** A life with a worker and a user. */
  void live() {
    open();
    hire();
    simulation.threads().start(this, 0, worker::beat);
    simulation.threads().start(this, 0, new SimulatedUser(this)::live);
    worker.live();
    store.close();
  }

  /** Opens the store, however often it takes. */
  void open() {
    StoreEnvironment environment =
        new StoreEnvironment(
            clock(),
            draws,
            nanos -> simulation.threads().sleep(nanos),
            simulation.threads()::await,
            Runnable::run,
            Runnable::run,
            Runnable::run,
            chore -> simulation.threads().start(this, 1, chore),
            Duration.ofMillis(100));
    ObjectStore line = line();
    while (store == null) {
      try {
        draws.distinct(Long.MAX_VALUE);
        StoreFormat.agree(line, environment, OptionalInt.empty());
        store = ObjectJobStore.open(line, 0, environment, () -> {});
      } catch (SluiceException e) {
        simulation.threads().sleep(100_000_000);
      } finally {
        draws.distinct(0);
      }
    }
  }

  /**
   * Some processes repeat their requests, as those on a bucket do; others hear of every trouble.
   */
  private ObjectStore line() {
    ObjectStore line = flaw.decorate(simulation.bucket().new Line(this));
    return simulation.random().nextInt(3) > 0
        ? line
        : new RetryingObjectStore(
            line, new RetrySchedule(3, Duration.ZERO, Duration.ZERO, Duration.ofDays(1), () -> 0));
  }
}
