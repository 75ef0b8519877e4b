package dev.sluice.schedule;

class ShardedSchedulersIT extends SchedulersContract {
  @Override
  String url() {
    return "memory:sharded-schedules?shards=3";
  }
}
