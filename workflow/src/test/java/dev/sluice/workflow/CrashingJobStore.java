package dev.sluice.workflow;

import dev.sluice.spi.JobStore;

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

  JobStore view() {
    return TappedJobStore.of(store, (method, arguments, call) -> counted(call));
  }

  private Object counted(TappedJobStore.Call call) throws Throwable {
    if (left <= 0) {
      throw new Crash();
    }
    Object answer = call.proceed();
    if (--left == 0) {
      throw new Crash();
    }
    return answer;
  }
}
