package dev.sluice.throttle;

/**
 * Something to do that has no result.
 *
 * @param <E> what it may throw besides
 */
@FunctionalInterface
public interface Action<E extends Exception> {
  /** Does it. It may wait, and be interrupted. */
  void run() throws E, InterruptedException;
}
