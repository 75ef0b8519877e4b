package dev.sluice.internal;

import java.util.concurrent.ThreadFactory;

/** Makes the threads of a worker that do not keep the JVM alive. */
final class DaemonThreads {
  private DaemonThreads() {}

  static Thread start(String name, Runnable task) {
    Thread thread = named(name).newThread(task);
    thread.start();
    return thread;
  }

  static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
