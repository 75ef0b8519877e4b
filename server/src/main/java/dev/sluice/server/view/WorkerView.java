package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerInfo;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A worker; what its bulletin says is absent until it has published one. */
public record WorkerView(
    String id,
    String name,
    List<String> queues,
    List<String> tasks,
    @JsonUnwrapped Lease lease,
    @Maybe @JsonUnwrapped Bulletin bulletin) {

  /** Its lease; leaseSeconds is how long it may be silent. */
  public record Lease(Instant startedAt, Instant expiresAt, double leaseSeconds, boolean alive) {}

  /** What it says about itself. */
  public record Bulletin(
      Instant bulletinAt,
      int running,
      int concurrency,
      int buffered,
      Tally tally,
      @Maybe List<ThrottleView> throttles,
      Map<String, JsonNode> notices) {}

  /** What it has done since it started, by task. */
  public record Tally(Map<String, TaskTally> tasks) {}

  /** What became of the jobs of a task; recentSeconds is how long a recent attempt took. */
  public record TaskTally(
      long started,
      long succeeded,
      long failed,
      long retried,
      long cancelled,
      double recentSeconds) {}

  /** A worker as it was read. */
  public static WorkerView of(WorkerInfo worker) {
    WorkerInfo.Lease lease = worker.lease();
    return new WorkerView(
        worker.id(),
        worker.name(),
        worker.queues().stream().sorted().toList(),
        worker.tasks().stream().sorted().toList(),
        new Lease(
            lease.startedAt(), lease.expiresAt(), ViewJson.seconds(lease.length()), lease.alive()),
        worker.bulletin().map(WorkerView::bulletin).orElse(null));
  }

  private static Bulletin bulletin(WorkerBulletin bulletin) {
    Map<String, TaskTally> tasks = new TreeMap<>();
    bulletin
        .tally()
        .tasks()
        .forEach(
            (task, t) ->
                tasks.put(
                    task,
                    new TaskTally(
                        t.started(),
                        t.succeeded(),
                        t.failed(),
                        t.retried(),
                        t.cancelled(),
                        t.times().recent())));
    return new Bulletin(
        bulletin.at(),
        bulletin.load().running(),
        bulletin.load().concurrency(),
        bulletin.load().buffered(),
        new Tally(tasks),
        ThrottleView.listOf(bulletin.notices().get("throttles")),
        bulletin.notices());
  }
}
