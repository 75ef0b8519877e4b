package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStanding;
import dev.sluice.spi.StepRetry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The jobs on record: unfinished ones in {@code job}, finished ones in {@code finished_job}. */
final class PostgresJobCatalog implements JobCatalog {
  /** What the numbers of states mean, from 3. */
  private static final List<JobState> ENDED =
      List.of(JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED);

  private static final String GET = "SELECT * FROM ${schema}.job_info WHERE id = ?";

  private static final String GET_ALL = "SELECT * FROM ${schema}.job_info WHERE id = ANY (?)";

  private static final String STANDINGS =
      """
      SELECT id, NULL::smallint AS state, NULL::timestamptz AS finished_at, NULL AS failure
      FROM ${schema}.job
      WHERE id = ANY (?)
      UNION ALL
      SELECT id, state, finished_at, CASE WHEN state = 4 THEN failures -> -1 ->> 'message' END
      FROM ${schema}.finished_job
      WHERE id = ANY (?)
      """;

  private static final String AHEAD = "SELECT ${schema}.ahead(?, ?::text, ?, ?)";

  private static final String CANCEL = "SELECT ${schema}.cancel(?)";

  // In the order of their ids, so that two calls that cancel the same jobs do not wait for each
  // other.
  private static final String CANCEL_ALL =
      "SELECT count(*) FILTER (WHERE ${schema}.cancel(id)) FROM (SELECT unnest(?::uuid[]) AS id ORDER BY id) AS ids";
  private static final String RUN_OF =
      "SELECT run_id FROM ${schema}.finished_job WHERE id = ? AND run_id IS NOT NULL AND state IN (4, 5)";

  private static final String RETRY = "SELECT ${schema}.retry(?)";
  private static final String PURGE =
      """
      DELETE FROM ${schema}.finished_job
      WHERE ctid = ANY (ARRAY(
        SELECT ctid
        FROM ${schema}.finished_job
        WHERE finished_at < (SELECT clock_timestamp()) - ? * interval '1 millisecond'
          AND (run_id IS NULL OR NOT EXISTS (
            SELECT FROM ${schema}.run r
            WHERE r.id = run_id AND (r.live OR r.updated_at >= clock_timestamp() - ? * interval '1 millisecond')))
        LIMIT ?))
      """;

  private final Database database;
  private final Waker waker;
  private final JobCensus census;
  private final JobLister lister;

  PostgresJobCatalog(Database database, Waker waker, JobCensus census) {
    this.database = database;
    this.waker = waker;
    this.census = census;
    this.lister = new JobLister(database);
  }

  @Override
  public Optional<JobInfo> get(UUID id) {
    return database.first(GET, JobRow::read, id);
  }

  @Override
  public Map<UUID, JobStanding> standings(Collection<UUID> ids, Instant since) {
    Map<UUID, JobStanding> standings = new HashMap<>();
    if (!ids.isEmpty()) {
      database.list(
          STANDINGS,
          row -> standings.put(row.getObject("id", UUID.class), standing(row)),
          SqlArray.UUID.of(ids),
          SqlArray.UUID.of(ids));
    }
    return standings;
  }

  private static JobStanding standing(ResultSet row) throws SQLException {
    short state = row.getShort("state");
    return row.wasNull()
        ? JobStanding.UNFINISHED
        : new JobStanding(
            Optional.of(ENDED.get(state - 3)),
            Optional.of(Database.instant(row, "finished_at")),
            Optional.ofNullable(row.getString("failure")));
  }

  @Override
  public List<JobInfo> getAll(Collection<UUID> ids, Instant since) {
    return ids.isEmpty() ? List.of() : database.list(GET_ALL, JobRow::read, SqlArray.UUID.of(ids));
  }

  @Override
  public Page<JobInfo> list(JobQuery query) {
    return lister.list(query);
  }

  @Override
  public Map<JobState, Long> counts() {
    return census.byState();
  }

  @Override
  public int ahead(UUID id, Optional<Group> group, Set<String> tasks, int most) {
    return database.one(
        AHEAD,
        row -> row.getInt(1),
        id,
        group.map(Group::toString).orElse(null),
        SqlArray.TEXT.of(tasks, task -> Group.of(task).toString()),
        most);
  }

  @Override
  public boolean cancel(UUID id) {
    return database.one(CANCEL, row -> row.getBoolean(1), id);
  }

  @Override
  public int cancelAll(Collection<UUID> ids) {
    return ids.isEmpty()
        ? 0
        : database.one(CANCEL_ALL, row -> row.getInt(1), SqlArray.UUID.of(ids));
  }

  @Override
  public boolean retry(UUID id) {
    Optional<UUID> run = database.first(RUN_OF, row -> row.getObject(1, UUID.class), id);
    if (run.isPresent()) {
      throw StepRetry.refused(id, run.get());
    }
    boolean retried =
        database.call(
            connection -> {
              try {
                return database.one(connection, RETRY, row -> row.getBoolean(1), id);
              } catch (SQLException e) {
                if (SqlErrors.UNIQUE_VIOLATION.equals(e.getSQLState())) {
                  throw new InvalidRequestException(
                      "The job %s cannot be retried: an unfinished job has the same dedupe key."
                          .formatted(id),
                      e);
                }
                throw e;
              }
            });
    if (retried) {
      waker.wakeAll();
    }
    return retried;
  }

  @Override
  public int purge(Duration age, int batch) {
    return database.update(PURGE, age.toMillis(), age.toMillis(), batch);
  }
}
