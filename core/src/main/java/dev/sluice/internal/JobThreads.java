package dev.sluice.internal;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads handlers run on: virtual ones where the JVM has them (21 and later, reached by
 * reflection because the code is compiled for 17), otherwise a pool that grows and shrinks. How
 * many run at once is not decided here, but by {@link ThreadPermits}.
 */
final class JobThreads implements Executor, AutoCloseable {
  private static final String PREFIX = "sluice-job-";

  private final Executor executor;

  JobThreads() {
    executor =
        virtualThreads()
            .<Executor>map(factory -> task -> factory.newThread(task).start())
            .orElseGet(JobThreads::pool);
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  @Override
  public void close() {
    if (executor instanceof ExecutorService pool) {
      pool.shutdown();
    }
  }

  private static ExecutorService pool() {
    AtomicLong number = new AtomicLong();
    return Executors.newCachedThreadPool(
        task -> DaemonThreads.named(PREFIX + number.getAndIncrement()).newThread(task));
  }

  /** {@code Thread.ofVirtual().name(PREFIX, 0).factory()}, if this JVM knows it. */
  private static Optional<ThreadFactory> virtualThreads() {
    try {
      Class<?> builderType = Class.forName("java.lang.Thread$Builder");
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      builderType.getMethod("name", String.class, long.class).invoke(builder, PREFIX, 0L);
      return Optional.of((ThreadFactory) builderType.getMethod("factory").invoke(builder));
    } catch (ReflectiveOperationException e) {
      return Optional.empty();
    }
  }
}
