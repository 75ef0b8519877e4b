package dev.sluice.throttle;

/**
 * Something to do that has a result.
 *
 * @param <T> what comes of it
 * @param <E> what it may throw; the compiler finds {@code RuntimeException} for work that throws
 *     nothing checked
 */
@FunctionalInterface
public interface Work<T, E extends Exception> {
  /** Does it. It may wait, and be interrupted. */
  T run() throws E, InterruptedException;
}
