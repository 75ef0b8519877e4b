package dev.sluice.internal;

import dev.sluice.Worker;
import dev.sluice.spi.JobStore;
import java.util.Map;

/** The running worker. */
public final class WorkerRuntime {
  private WorkerRuntime() {}

  public static Worker start(
      JobStore store, Json json, WorkerSettings settings, Map<String, RegisteredTask<?>> tasks) {
    throw new UnsupportedOperationException("written next");
  }
}
