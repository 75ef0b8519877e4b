package dev.sluice.postgres;

import dev.sluice.JobState;
import dev.sluice.SluiceException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts jobs by queue, task and state.
 *
 * <p>Nothing on the way of a job keeps a count of jobs: that would be a place where all of them
 * meet. So counting is reading. As long as that is quick, every answer is counted for it. When it
 * is not, because there are very many jobs, the first caller waits for the count, and callers that
 * ask often get the latest: it is renewed beside the callers, for at most a tenth of the time, and
 * so is some seconds old when there are a million jobs.
 */
final class JobCensus {
  private static final Logger log = LoggerFactory.getLogger(JobCensus.class);

  // A million jobs in a lane are counted once; their task and their lane are asked once whether
  // they are full.
  private static final String LIVE =
      """
      WITH counted AS MATERIALIZED (
        SELECT queue, state, task, lane, started_at IS NOT NULL AS started, run_at <= clock_timestamp() AS due,
               count(*) AS jobs, min(run_at) AS oldest
        FROM ${schema}.job
        GROUP BY 1, 2, 3, 4, 5, 6
      ), full_groups AS MATERIALIZED (
        SELECT name
        FROM ${schema}.full_among(ARRAY(
          SELECT g
          FROM counted c
          CROSS JOIN LATERAL unnest(ARRAY[c.task, ltrim(c.lane, '*')]) AS g
          WHERE c.state <> 2 AND g <> ''
          GROUP BY g)) AS name
      )
      SELECT c.queue,
             c.task,
             CASE
               WHEN c.state = 2 AND c.started THEN 'RUNNING'
               WHEN c.state = 0 AND NOT c.due THEN 'SCHEDULED'
               WHEN c.state <> 2 AND (t.name IS NOT NULL OR l.name IS NOT NULL) THEN 'WAITING'
               ELSE 'READY'
             END AS job_state,
             sum(c.jobs)::bigint AS jobs,
             min(c.oldest) AS oldest
      FROM counted c
      LEFT JOIN full_groups t ON t.name = c.task
      LEFT JOIN full_groups l ON l.name = ltrim(c.lane, '*')
      GROUP BY 1, 2, 3
      """;

  private static final String FINISHED =
      """
      SELECT '' AS queue,
             '' AS task,
             CASE state WHEN 3 THEN 'SUCCEEDED' WHEN 4 THEN 'FAILED' ELSE 'CANCELLED' END AS job_state,
             count(*) AS jobs,
             NULL::timestamptz AS oldest
      FROM ${schema}.finished_job
      GROUP BY state
      """;

  private static final String SIZE =
      "SELECT pg_relation_size('${schema}.job') + pg_relation_size('${schema}.finished_job')";

  /** Tables of this size are counted in some ten milliseconds. */
  private static final long QUICKLY_READ_BYTES = 24 << 20;

  private static final long QUICK_NANOS = Duration.ofMillis(80).toNanos();
  private static final long SHORTEST_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long OFTEN_NANOS = Duration.ofSeconds(40).toNanos();

  private final Database database;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Count latest;
  private volatile Thread renewer;
  private volatile long asked = System.nanoTime() - 2 * OFTEN_NANOS;

  JobCensus(Database database) {
    this.database = database;
  }

  /**
   * How many jobs of a queue and task are in a state; finished ones stand under the queue "" and
   * the task "".
   *
   * @param oldest when the first of them was due
   */
  record Cell(String queue, String task, JobState state, long jobs, Optional<Instant> oldest) {}

  private record Count(List<Cell> cells, long at, long took) {
    long pause() {
      return Math.max(SHORTEST_PAUSE_NANOS, 10 * took);
    }
  }

  /** How many jobs are in each state. */
  Map<JobState, Long> byState() {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    for (JobState state : JobState.values()) {
      counts.put(state, 0L);
    }
    take().forEach(cell -> counts.merge(cell.state, cell.jobs, Long::sum));
    return counts;
  }

  List<Cell> take() {
    if (database.one(SIZE, row -> row.getLong(1)) <= QUICKLY_READ_BYTES) {
      return count().cells;
    }
    // Held while counting: callers that come meanwhile find what was counted.
    lock.lock();
    try {
      boolean often = isAskedOften();
      asked = System.nanoTime();
      if (!isFresh()) {
        latest = count();
      }
      if (often && renewer == null && latest.took > QUICK_NANOS) {
        renewer = new Thread(this::renew, "sluice-job-census");
        renewer.setDaemon(true);
        renewer.start();
      }
      return latest.cells;
    } finally {
      lock.unlock();
    }
  }

  private boolean isAskedOften() {
    return System.nanoTime() - asked < OFTEN_NANOS;
  }

  private boolean isFresh() {
    return latest != null
        && latest.took > QUICK_NANOS
        && System.nanoTime() - latest.at
            < (renewer == null ? SHORTEST_PAUSE_NANOS : 3 * latest.pause());
  }

  /** Counts again and again, until the figures are not asked for any more or counting is quick. */
  private void renew() {
    try {
      LockSupport.parkNanos(latest.pause());
      while (isAskedOften() && latest.took > QUICK_NANOS) {
        latest = count();
        LockSupport.parkNanos(latest.pause());
      }
    } catch (SluiceException e) {
      log.debug("The jobs could not be counted; the next caller counts them.", e);
    } finally {
      renewer = null;
    }
  }

  private Count count() {
    long start = System.nanoTime();
    List<Cell> cells = new ArrayList<>(database.list(LIVE, JobCensus::read));
    cells.addAll(database.list(FINISHED, JobCensus::read));
    long end = System.nanoTime();
    return new Count(List.copyOf(cells), end, end - start);
  }

  private static Cell read(ResultSet row) throws SQLException {
    return new Cell(
        row.getString("queue"),
        row.getString("task"),
        JobState.valueOf(row.getString("job_state")),
        row.getLong("jobs"),
        Optional.ofNullable(Database.instant(row, "oldest")));
  }
}
