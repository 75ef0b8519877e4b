package dev.sluice.throttle;

/**
 * What came of an item of {@link Throttles#mapConcurrentlyCollecting}.
 *
 * @param <R> what comes of an item when all goes well
 */
public sealed interface Outcome<R> {
  /** All went well. */
  record Success<R>(R value) implements Outcome<R> {}

  /** It did not. */
  record Failure<R>(Exception cause) implements Outcome<R> {}
}
