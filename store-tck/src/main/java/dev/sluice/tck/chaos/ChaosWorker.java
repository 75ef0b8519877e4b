package dev.sluice.tck.chaos;

import dev.sluice.JobContext;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;

/** A worker process of {@link ChaosContract}. */
public final class ChaosWorker {
  /** Four such workers can fill every limit of {@link ChaosWork} at once, but for those of keys. */
  private static final int THREADS_FOR_HUNDREDS = 110;

  private ChaosWorker() {}

  /** Runs until standard input ends. */
  public static void main(String[] arguments) throws Exception {
    try (ChaosProcess process = ChaosProcess.begin(arguments);
        Worker worker = start(process)) {
      process.awaitEnd();
      worker.stop(ChaosProcess.GRACE);
    }
  }

  private static Worker start(ChaosProcess process) {
    WorkerBuilder builder = process.worker();
    if (ChaosStorm.IS_LONG) {
      builder.concurrency(THREADS_FOR_HUNDREDS);
    }
    for (Task<ChaosWork> task : ChaosWork.TASKS) {
      builder.handle(task, (work, context) -> handle(process, work, context));
    }
    return builder.start();
  }

  private static void handle(ChaosProcess process, ChaosWork work, JobContext context)
      throws Exception {
    String group =
        context.task().equals(ChaosWork.KEYED.name())
            ? context.task() + "/" + work.key()
            : context.task();
    process.logged(
        context,
        group,
        () -> {
          ChaosProcess.work(work.slices(), work.sliceMs());
          return null;
        });
  }
}
