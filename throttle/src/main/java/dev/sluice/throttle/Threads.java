package dev.sluice.throttle;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads that concurrent work runs on: virtual ones where the JVM has them (21 and later,
 * reached by reflection because the code is compiled for 17), otherwise a pool that grows and
 * shrinks. How many are busy is decided by throttles alone. None keeps the JVM alive.
 */
final class Threads {
  private static final String PREFIX = "throttle-";
  private static final Executor SHARED = create();

  private Threads() {}

  static void start(Runnable task) {
    SHARED.execute(task);
  }

  private static Executor create() {
    try {
      Class<?> builderType = Class.forName("java.lang.Thread$Builder");
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      builderType.getMethod("name", String.class, long.class).invoke(builder, PREFIX, 0L);
      ThreadFactory virtual = (ThreadFactory) builderType.getMethod("factory").invoke(builder);
      return task -> virtual.newThread(task).start();
    } catch (ReflectiveOperationException beforeJava21) {
      AtomicLong number = new AtomicLong();
      return Executors.newCachedThreadPool(task -> daemon(task, number.getAndIncrement()));
    }
  }

  private static Thread daemon(Runnable task, long number) {
    Thread thread = new Thread(task, PREFIX + number);
    thread.setDaemon(true);
    return thread;
  }
}
