package dev.sluice.workflow;

/** Runs and tasks that live in three shards. */
class ShardedWorkflowIT extends WorkflowContract {
  @Override
  String url() {
    return "memory:sharded-workflows?shards=3";
  }
}
