package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.spi.QueueStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Queues: a row for each that was ever paused, and counts from the jobs. */
final class PostgresQueueStore implements QueueStore {
  private static final String SET_PAUSED =
      """
      INSERT INTO ${schema}.queue (name, paused)
      VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
      """;

  private static final String PAUSED = "SELECT name FROM ${schema}.queue WHERE paused";

  private static final String WAKE_ALL = "SELECT ${schema}.wake_all()";

  private final Database database;
  private final JobCensus census;

  PostgresQueueStore(Database database, JobCensus census) {
    this.database = database;
    this.census = census;
  }

  @Override
  public void pause(String queue) {
    database.update(SET_PAUSED, queue, true);
  }

  @Override
  public void resume(String queue) {
    database.update(SET_PAUSED, queue, false);
    database.run(WAKE_ALL);
  }

  @Override
  public List<QueueInfo> list() {
    Set<String> paused = new HashSet<>(database.list(PAUSED, row -> row.getString(1)));
    Map<String, QueueInfo> queues = new TreeMap<>();
    paused.forEach(name -> queues.put(name, empty(name, true)));
    for (JobCensus.Cell cell : census.take()) {
      if (!cell.state().finished()) {
        queues.compute(
            cell.queue(),
            (name, before) ->
                plus(before == null ? empty(name, paused.contains(name)) : before, cell));
      }
    }
    return List.copyOf(queues.values());
  }

  private static QueueInfo empty(String name, boolean paused) {
    return new QueueInfo(name, paused, Map.of(), 0, 0);
  }

  private static QueueInfo plus(QueueInfo queue, JobCensus.Cell cell) {
    Map<String, DueJobs> due = new HashMap<>(queue.due());
    long running = queue.running();
    long scheduled = queue.scheduled();
    switch (cell.state()) {
      case RUNNING -> running += cell.jobs();
      case SCHEDULED -> scheduled += cell.jobs();
      default ->
          due.merge(
              Group.parse(cell.task()).plainName(),
              new DueJobs(cell.jobs(), cell.oldest().orElseThrow()),
              DueJobs::plus);
    }
    return new QueueInfo(queue.name(), queue.paused(), due, running, scheduled);
  }
}
