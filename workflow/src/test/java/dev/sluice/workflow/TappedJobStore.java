package dev.sluice.workflow;

import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.RunStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A store whose calls pass somebody on their way: its own, and those to its jobs and runs. */
public final class TappedJobStore {
  /** Who they pass. */
  public interface Tap {
    Object call(Method method, Object[] arguments, Call call) throws Throwable;
  }

  /** Carries the call out. */
  public interface Call {
    Object proceed() throws Throwable;
  }

  private TappedJobStore() {}

  public static JobStore of(JobStore store, Tap tap) {
    JobCatalog jobs = tapped(JobCatalog.class, store.jobs(), tap);
    RunStore runs = tapped(RunStore.class, store.runs(), tap);
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "jobs" -> jobs;
                  case "runs" -> runs;
                  default -> tap.call(method, arguments, () -> invoke(method, store, arguments));
                });
  }

  private static <T> T tapped(Class<T> type, T target, Tap tap) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                tap.call(method, arguments, () -> invoke(method, target, arguments))));
  }

  private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
