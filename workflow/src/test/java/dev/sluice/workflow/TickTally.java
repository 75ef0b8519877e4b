package dev.sluice.workflow;

import dev.sluice.Submission;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.RunStore.Run;
import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.workflow.tick.ProgressJson;
import dev.sluice.workflow.tick.StepProgress;
import dev.sluice.workflow.tick.StepProgress.Items;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Counts at the seam what ticks do: how many more steps a run says have started after each write
 * than it said before, how many jobs each submit brings, and how often each of them was stored.
 * Knows nothing of what ticks say of themselves. One tally may watch several processes.
 */
final class TickTally {
  /** How many steps each write started; writes that were refused do not count. */
  final List<Integer> started = new CopyOnWriteArrayList<>();

  /** How many jobs each submit brought. */
  final List<Integer> submitted = new CopyOnWriteArrayList<>();

  /** The jobs that were stored, each as often as it was. */
  final List<UUID> stored = new CopyOnWriteArrayList<>();

  /** What this thread has read of runs: who replaces a run has read it. */
  private final ThreadLocal<Map<UUID, StoredRun>> read = ThreadLocal.withInitial(HashMap::new);

  JobStore watch(JobStore store) {
    return TappedJobStore.of(store, this::note);
  }

  private Object note(Method method, Object[] arguments, TappedJobStore.Call call)
      throws Throwable {
    Object answer = call.proceed();
    switch (method.getName()) {
      case "get" -> {
        if (answer instanceof Optional<?> found
            && found.orElse(null) instanceof StoredRun storedRun) {
          read.get().put(storedRun.run().id(), storedRun);
        }
      }
      case "replace" -> {
        Run after = (Run) arguments[0];
        StoredRun before = read.get().get(after.id());
        if (before.version() != (Long) arguments[1]) {
          throw new IllegalStateException("Replaces a version that was not read: " + after.id());
        }
        if ((Boolean) answer) {
          started.add(begun(after) - begun(before.run()));
        }
      }
      case "submit" -> {
        List<?> jobs = (List<?>) arguments[0];
        List<?> answers = (List<?>) answer;
        submitted.add(jobs.size());
        for (int i = 0; i < jobs.size(); i++) {
          if (((Submission) answers.get(i)).accepted()) {
            stored.add(((NewJob) jobs.get(i)).identity().id());
          }
        }
      }
      default -> {}
    }
    return answer;
  }

  /** How many jobs a run says it has begun. */
  private static int begun(Run run) {
    int begun = 0;
    for (StepProgress step : ProgressJson.read(run.id(), run.texts().content()).steps()) {
      begun += step.items().map(Items::begun).orElse(step.state() == StepState.PENDING ? 0 : 1);
    }
    return begun;
  }
}
