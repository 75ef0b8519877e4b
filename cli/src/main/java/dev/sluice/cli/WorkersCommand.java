package dev.sluice.cli;

import dev.sluice.Sluice;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerInfo;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Table;
import dev.sluice.cli.text.Times;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine.Command;

/** Lists the workers. */
@Command(
    name = "workers",
    description = {
      "List the workers, wherever they run: what they serve, what they have to do, and how long their"
          + " lease lasts unless they renew it.",
      "A worker that died is listed until its lease is over and another one has taken up its jobs."
    },
    footer = {"Examples:", "  sluice workers", "  sluice --json workers"})
final class WorkersCommand implements Runnable {
  private final SluiceCommand root;

  WorkersCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void run() {
    try (Sluice sluice = root.openToRead()) {
      List<WorkerInfo> workers = sluice.workers().list();
      if (root.json()) {
        workers.forEach(worker -> root.sayJson(asMap(worker)));
      } else if (workers.isEmpty()) {
        root.remark("No worker is signed on. Start one with 'sluice worker'.");
      } else {
        table(workers).lines(root.console().tableWidth()).forEach(root::say);
      }
    }
  }

  private Table table(List<WorkerInfo> workers) {
    Times times = root.times();
    Table table =
        new Table(root.console().style())
            .left("NAME")
            .left("ID")
            .left("QUEUES")
            .flexible("TASKS")
            .right("LOAD")
            .right("BUFFERED")
            .left("SINCE")
            .right("LEASE LEFT");
    for (WorkerInfo worker : workers) {
      WorkerInfo.Lease lease = worker.lease();
      table.row(
          Printable.of(worker.name()),
          Printable.of(worker.id()),
          Printable.of(String.join(",", new TreeSet<>(worker.queues()))),
          Printable.of(String.join(",", new TreeSet<>(worker.tasks()))),
          worker.bulletin().map(WorkersCommand::load).orElse("-"),
          worker.bulletin().map(b -> String.valueOf(b.load().buffered())).orElse("-"),
          times.age(lease.startedAt()),
          lease.alive()
              ? Durations.format(Duration.between(lease.readAt(), lease.expiresAt()))
              : root.console().style().red("expired"));
    }
    return table;
  }

  private static String load(WorkerBulletin bulletin) {
    return bulletin.load().running() + "/" + bulletin.load().concurrency();
  }

  private static Map<String, Object> asMap(WorkerInfo worker) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", worker.id());
    map.put("name", worker.name());
    map.put("queues", new TreeSet<>(worker.queues()));
    map.put("tasks", new TreeSet<>(worker.tasks()));
    map.put("started_at", worker.lease().startedAt().toString());
    map.put("expires_at", worker.lease().expiresAt().toString());
    map.put("lease_seconds", worker.lease().length().toMillis() / 1000.0);
    worker
        .bulletin()
        .ifPresent(
            bulletin -> {
              map.put("running", bulletin.load().running());
              map.put("concurrency", bulletin.load().concurrency());
              map.put("buffered", bulletin.load().buffered());
              map.put("bulletin_at", bulletin.at().toString());
              map.put("notices", bulletin.notices());
            });
    return map;
  }
}
