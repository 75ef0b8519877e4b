package dev.sluice.throttle;

/**
 * What {@link Throttles#mapConcurrently} does with each item.
 *
 * @param <T> an item
 * @param <R> what comes of it
 * @param <E> what it may throw besides
 */
@FunctionalInterface
public interface Mapper<T, R, E extends Exception> {
  /** Does it. It may wait, and be interrupted. */
  R map(T item) throws E, InterruptedException;
}
