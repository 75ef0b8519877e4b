package dev.sluice.workflow.internal;

import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.workflow.tick.RunProgress;
import dev.sluice.workflow.tick.StepProgress;
import dev.sluice.workflow.tick.WorkflowGraph;
import java.util.UUID;

/**
 * A run as it was read.
 *
 * @param stored as the store has it
 * @param charter what does not change
 * @param progress what does
 */
public record LoadedRun(StoredRun stored, Charter charter, RunProgress progress) {
  /** Its id. */
  public UUID id() {
    return stored.run().id();
  }

  /** Its definition. */
  public WorkflowGraph graph() {
    return charter.graph();
  }

  /** The index of the step with this number in the ids of its jobs; -1 = there is none. */
  public int indexOf(int number) {
    for (int i = 0; i < progress.steps().size(); i++) {
      if (progress.steps().get(i).number() == number) {
        return i;
      }
    }
    return -1;
  }

  StepProgress step(int index) {
    return progress.steps().get(index);
  }
}
