package dev.sluice;

import java.util.OptionalInt;

/**
 * Work in class style: the job is its own payload, stored as JSON, and knows how to run itself.
 *
 * <p>The task's name is the class name, or what {@link TaskName} says. Key and limit combine in
 * four ways: neither = unlimited; a limit alone = that many per class; a key alone = unlimited;
 * both = that many per class and key. They hold whoever submits the job, count as declared in code,
 * and must say the same each time for the same payload.
 *
 * <pre>{@code
 * record ProcessUser(long userId) implements Job {
 *   public String concurrencyKey() { return "user-" + userId; }
 *   public OptionalInt concurrencyLimit() { return OptionalInt.of(1); }
 *   public void run(JobContext context) throws Exception { ... }
 * }
 * }</pre>
 */
public interface Job {
  /** Does the work; called on a worker. Whatever it throws fails the attempt. */
  void run(JobContext context) throws Exception;

  /** The key that narrows the class's group to {@code class/key}; empty (the default) = no key. */
  default String concurrencyKey() {
    return "";
  }

  /** How many may run at once in the job's group; empty (the default) = unlimited, 0 = hold. */
  default OptionalInt concurrencyLimit() {
    return OptionalInt.empty();
  }
}
