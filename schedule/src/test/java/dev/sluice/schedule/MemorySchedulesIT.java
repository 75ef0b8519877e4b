package dev.sluice.schedule;

class MemorySchedulesIT extends SchedulesContract {
  @Override
  String url() {
    return "memory:schedules";
  }
}
