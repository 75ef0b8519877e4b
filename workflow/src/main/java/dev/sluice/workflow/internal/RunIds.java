package dev.sluice.workflow.internal;

import dev.sluice.workflow.tick.StepJobId;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Draws ids of runs that sort by when they were drawn. Two that are the same are told apart later.
 */
final class RunIds {
  UUID next() {
    return StepJobId.run(System.currentTimeMillis(), ThreadLocalRandom.current().nextInt(1 << 12));
  }
}
