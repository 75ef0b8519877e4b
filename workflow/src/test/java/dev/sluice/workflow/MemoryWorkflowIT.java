package dev.sluice.workflow;

class MemoryWorkflowIT extends WorkflowContract {
  @Override
  String url() {
    return "memory:workflows";
  }
}
