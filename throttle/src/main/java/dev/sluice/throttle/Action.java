package dev.sluice.throttle;

/**
 * Something to do that has no result.
 *
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface Action<E extends Exception> {
  /** Does it. */
  void run() throws E;
}
