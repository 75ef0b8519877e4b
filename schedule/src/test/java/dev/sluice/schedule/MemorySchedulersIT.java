package dev.sluice.schedule;

class MemorySchedulersIT extends SchedulersContract {
  @Override
  String url() {
    return "memory:schedules";
  }
}
