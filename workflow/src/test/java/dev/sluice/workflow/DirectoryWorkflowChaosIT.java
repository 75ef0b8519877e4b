package dev.sluice.workflow;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

/** Real processes, killed and frozen, on one directory. */
class DirectoryWorkflowChaosIT extends WorkflowChaosContract {
  @TempDir Path objects;

  @Override
  String url() {
    return "file:" + objects;
  }

  /** Others have to see its lease unchanged for that long, from when they first look at it. */
  @Override
  Duration takenOverAfter(Duration lease) {
    return lease.multipliedBy(2).plusMillis(1_500);
  }
}
