package dev.sluice.tck.chaos;

import dev.sluice.Task;
import java.util.List;

/**
 * What the chaos jobs carry.
 *
 * @param key a key with a limit of its own, in the tasks that have one
 * @param slices for how many slices of time the handler works
 * @param sliceMs how long each takes
 */
record ChaosWork(String key, int slices, int sliceMs) {
  static final int KEYED_LIMIT = 2;

  static final Task<ChaosWork> ONE = task("chaos_one", 1);
  static final Task<ChaosWork> THREE = task("chaos_three", 3);
  static final Task<ChaosWork> TEN = task("chaos_ten", 10);
  static final Task<ChaosWork> FIFTY_ONE = task("chaos_fifty_one", 51);
  static final Task<ChaosWork> HUNDREDS = task("chaos_hundreds", 255);
  static final Task<ChaosWork> SLOW = task("chaos_slow", 6);
  static final Task<ChaosWork> KEYED =
      Task.named("chaos_keyed", ChaosWork.class)
          .maxConcurrentPer("key", ChaosWork::key, KEYED_LIMIT)
          .retry(ChaosProcess.PATIENT)
          .build();

  static final List<Task<ChaosWork>> TASKS =
      List.of(ONE, THREE, TEN, FIFTY_ONE, HUNDREDS, SLOW, KEYED);

  private static Task<ChaosWork> task(String name, int limit) {
    return Task.named(name, ChaosWork.class)
        .maxConcurrent(limit)
        .retry(ChaosProcess.PATIENT)
        .build();
  }
}
