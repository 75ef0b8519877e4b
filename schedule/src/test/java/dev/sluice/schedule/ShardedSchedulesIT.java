package dev.sluice.schedule;

class ShardedSchedulesIT extends SchedulesContract {
  @Override
  String url() {
    return "memory:sharded-schedules?shards=3";
  }
}
