package dev.sluice.postgres;

import dev.sluice.spi.QueueStore;
import java.util.List;

/** Queues: a row for each that was ever paused, and counts from the jobs. */
final class PostgresQueueStore implements QueueStore {
  private static final String SET_PAUSED =
      """
      INSERT INTO ${schema}.queue (name, paused)
      VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
      """;

  private static final String LIST =
      """
      SELECT coalesce(q.name, j.queue) AS name,
             coalesce(q.paused, false) AS paused,
             coalesce(j.ready, 0) AS ready,
             coalesce(j.running, 0) AS running,
             coalesce(j.scheduled, 0) AS scheduled
      FROM (SELECT * FROM ${schema}.queue WHERE paused) q
      FULL JOIN (
        SELECT queue,
               count(*) FILTER (WHERE state = 1 OR (state = 2 AND started_at IS NULL)) AS ready,
               count(*) FILTER (WHERE state = 2 AND started_at IS NOT NULL) AS running,
               count(*) FILTER (WHERE state = 0) AS scheduled
        FROM ${schema}.job
        GROUP BY queue
      ) j ON j.queue = q.name
      ORDER BY 1
      """;

  private static final String WAKE_ALL = "SELECT ${schema}.wake_all()";

  private final Database database;

  PostgresQueueStore(Database database) {
    this.database = database;
  }

  @Override
  public void pause(String queue) {
    database.update(SET_PAUSED, queue, true);
  }

  @Override
  public void resume(String queue) {
    database.update(SET_PAUSED, queue, false);
    database.list(WAKE_ALL, row -> true);
  }

  @Override
  public List<QueueInfo> list() {
    return database.list(
        LIST,
        row ->
            new QueueInfo(
                row.getString("name"),
                row.getBoolean("paused"),
                row.getLong("ready"),
                row.getLong("running"),
                row.getLong("scheduled")));
  }
}
