package dev.sluice.schedule;

class PostgresSchedulersIT extends SchedulersContract {
  @Override
  String url() {
    return "embedded:" + PostgresSchedulesIT.SERVER.dataDirectory();
  }
}
