package dev.sluice.schedule;

import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.ScheduleStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;

/** A store whose answers get lost: chosen calls are carried out, and then fail. */
final class FailingJobStore {
  private FailingJobStore() {}

  /**
   * Loses the answers of chosen calls.
   *
   * @param lost chooses by name: {@code submit}, {@code replace}, {@code due} and so on
   */
  static JobStore of(JobStore store, Predicate<String> lost) {
    ScheduleStore schedules = failing(ScheduleStore.class, store.schedules(), lost);
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) ->
                method.getName().equals("schedules")
                    ? schedules
                    : call(method, store, arguments, lost));
  }

  private static <T> T failing(Class<T> type, T target, Predicate<String> lost) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call(method, target, arguments, lost)));
  }

  private static Object call(
      Method method, Object target, Object[] arguments, Predicate<String> lost) throws Throwable {
    Object answer;
    try {
      answer = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (lost.test(method.getName())) {
      throw new StoreUnavailableException(
          "The answer to " + method.getName() + " was lost on purpose.", null);
    }
    return answer;
  }
}
