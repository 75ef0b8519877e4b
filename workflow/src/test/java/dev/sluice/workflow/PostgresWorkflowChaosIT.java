package dev.sluice.workflow;

import java.time.Duration;

/** Real processes, killed and frozen, on PostgreSQL. */
class PostgresWorkflowChaosIT extends WorkflowChaosContract {
  @Override
  String url() {
    return "embedded:" + PostgresWorkflowIT.SERVER.dataDirectory();
  }

  @Override
  Duration takenOverAfter(Duration lease) {
    return lease.plusMillis(1_500);
  }
}
