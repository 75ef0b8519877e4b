package dev.sluice.object;

import dev.sluice.object.state.Waits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a store on objects takes from outside: time, chance, threads and patience. Nothing below it
 * uses any other, so a test can play all of them.
 *
 * @param nanoTime a monotonic clock
 * @param random for nonces, ids and waiting times
 * @param pause waits
 * @param await waits for what another thread is about to finish
 * @param commits runs commits, one after the other
 * @param submits runs submits, one after the other
 * @param reads runs reads that a commit waits for, many at a time
 * @param chores runs what nobody waits for
 * @param patience how long a job is passed over until slots are kept for it
 */
record StoreEnvironment(
    LongSupplier nanoTime,
    RandomGenerator random,
    Pause pause,
    Await await,
    Executor commits,
    Executor submits,
    Executor reads,
    Executor chores,
    Duration patience) {

  /** With the patience of real life. */
  StoreEnvironment(
      LongSupplier nanoTime,
      RandomGenerator random,
      Pause pause,
      Await await,
      Executor commits,
      Executor submits,
      Executor reads,
      Executor chores) {
    this(nanoTime, random, pause, await, commits, submits, reads, chores, Waits.PASSED_OVER);
  }

  /** Waits. */
  @FunctionalInterface
  interface Pause {
    /** Waits this long, or until interrupted. */
    void forNanos(long nanos) throws InterruptedException;
  }

  /** Waits for a result. */
  @FunctionalInterface
  interface Await {
    /** The result, as {@link CompletableFuture#get} has it. */
    <T> T result(CompletableFuture<T> future) throws InterruptedException, ExecutionException;
  }

  /** A text that nobody else draws. */
  String nonce() {
    return "%016x%016x".formatted(random.nextLong(), random.nextLong());
  }
}
