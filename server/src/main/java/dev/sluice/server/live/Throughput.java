package dev.sluice.server.live;

import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.TaskTally;
import dev.sluice.server.view.OverviewView.Rates;
import java.time.Duration;
import java.util.Map;

/**
 * What a worker did between two bulletins.
 *
 * @param work how much, as counts
 * @param spent seconds that the attempts that ended took, about
 * @param seconds in which time
 */
record Throughput(Work work, double spent, double seconds) {
  static final Throughput NONE = new Throughput(new Work(0, 0, 0, 0), 0, 0);

  private static final TaskTally NOTHING =
      new TaskTally(0, 0, 0, 0, 0, new WorkerBulletin.Times(0, 0), WorkerBulletin.Lately.NONE);

  /** Attempts started, jobs succeeded and failed, and attempts retried. */
  record Work(long started, long succeeded, long failed, long retried) {
    static Work of(Map<String, TaskTally> tasks) {
      Work sum = NONE.work;
      for (TaskTally tally : tasks.values()) {
        sum = sum.plus(of(tally));
      }
      return sum;
    }

    static Work of(TaskTally tally) {
      return new Work(tally.started(), tally.succeeded(), tally.failed(), tally.retried());
    }

    private Work plus(Work other) {
      return new Work(
          started + other.started,
          succeeded + other.succeeded,
          failed + other.failed,
          retried + other.retried);
    }

    Work minus(Work other) {
      return new Work(
          Math.max(0, started - other.started),
          Math.max(0, succeeded - other.succeeded),
          Math.max(0, failed - other.failed),
          Math.max(0, retried - other.retried));
    }

    long ended() {
      return succeeded + failed + retried;
    }
  }

  static Throughput between(WorkerBulletin before, WorkerBulletin after) {
    return between(
        before.tally().tasks(), after.tally().tasks(), Duration.between(before.at(), after.at()));
  }

  /** From the start of a worker on. */
  static Throughput sinceStart(WorkerBulletin first) {
    return between(Map.of(), first.tally().tasks(), Duration.between(first.since(), first.at()));
  }

  /**
   * The time all attempts took includes those of jobs that were cancelled, some of which ran and
   * some of which did not; so it is not divided, but what a recent attempt of each task took counts
   * as often as one ended.
   */
  private static Throughput between(
      Map<String, TaskTally> before, Map<String, TaskTally> after, Duration time) {
    double spent = 0;
    for (Map.Entry<String, TaskTally> line : after.entrySet()) {
      TaskTally from = before.getOrDefault(line.getKey(), NOTHING);
      if (from == NOTHING && before.containsKey(WorkerBulletin.OTHER)) {
        continue; // It was counted among the others until now: what of it is new is not known.
      }
      spent +=
          Work.of(line.getValue()).minus(Work.of(from)).ended() * line.getValue().times().recent();
    }
    return new Throughput(Work.of(after).minus(Work.of(before)), spent, time.toMillis() / 1000.0);
  }

  Rates rates() {
    if (seconds <= 0) {
      return new Rates(0, 0, 0, 0);
    }
    return new Rates(
        work.started / seconds,
        work.succeeded / seconds,
        work.failed / seconds,
        work.retried / seconds);
  }
}
