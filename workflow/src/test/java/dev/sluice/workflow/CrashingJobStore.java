package dev.sluice.workflow;

import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RunStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * A store whose user dies after a number of calls: each is carried out, and the one with the fatal
 * number does not return.
 */
final class CrashingJobStore {
  private final JobStore store;
  private int left;

  /** The process is gone. */
  static final class Crash extends RuntimeException {}

  CrashingJobStore(JobStore store, int calls) {
    this.store = store;
    this.left = calls;
  }

  /** How many more calls would have been survived. */
  int left() {
    return left;
  }

  JobStore view() {
    JobCatalog jobs = counted(JobCatalog.class, store.jobs());
    RunStore runs = counted(RunStore.class, store.runs());
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "jobs" -> jobs;
                  case "runs" -> runs;
                  default -> call(method, store, arguments);
                });
  }

  private <T> T counted(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call(method, target, arguments)));
  }

  private Object call(java.lang.reflect.Method method, Object target, Object[] arguments)
      throws Throwable {
    if (left <= 0) {
      throw new Crash();
    }
    try {
      Object answer = method.invoke(target, arguments);
      if (--left == 0) {
        throw new Crash();
      }
      return answer;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
