package dev.sluice.workflow;

import dev.sluice.JobContext;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.tck.chaos.ChaosProcess;
import dev.sluice.workflow.tick.StepJobId;
import java.util.Iterator;
import java.util.stream.IntStream;

/** A worker process of {@link WorkflowChaosContract}, which serves workflows. */
public final class WorkflowChaosWorker {
  private static final int SHORT = 6;
  private static final int LONG = 60;
  private static final int LONG_EVERY = 10;

  private WorkflowChaosWorker() {}

  /** Runs until standard input ends. */
  public static void main(String[] arguments) throws Exception {
    try (ChaosProcess process = ChaosProcess.begin(arguments);
        Workflows workflows = Workflows.on(process.sluice());
        Worker worker =
            workflows
                .serve(process.worker())
                .handleReturning(
                    task(ChaosPlan.SQUARE),
                    (n, context) ->
                        process.logged(
                            context,
                            run(context),
                            () -> {
                              ChaosProcess.work(
                                  n % LONG_EVERY == 0 ? LONG : 1 + n % SHORT,
                                  ChaosProcess.SLICE_MS);
                              return n * n;
                            }))
                .handleReturning(
                    task(ChaosPlan.LIST),
                    (n, context) ->
                        process.logged(
                            context, run(context), () -> IntStream.range(0, n).boxed().toList()))
                .handleReturning(
                    task(ChaosPlan.SUM),
                    (nothing, context) ->
                        process.logged(context, run(context), () -> sum(workflows.step(context))))
                .start()) {
      process.awaitEnd();
      worker.stop(ChaosProcess.GRACE);
    }
  }

  private static Task<Integer> task(String name) {
    return Task.named(name, Integer.class).retry(ChaosProcess.PATIENT).build();
  }

  private static String run(JobContext context) {
    return StepJobId.parse(context.jobId()).orElseThrow().run().toString();
  }

  private static long sum(StepContext step) {
    long sum = 0;
    Iterator<Integer> results = step.results(ChaosPlan.EACH, Integer.class);
    for (int i = 0; results.hasNext(); i++) {
      sum += (long) i * results.next();
    }
    return sum;
  }
}
