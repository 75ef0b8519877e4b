package dev.sluice.postgres;

import dev.sluice.Page;
import dev.sluice.spi.RunQuery;
import dev.sluice.spi.RunStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Runs of workflows, in the table {@code run}. */
final class PostgresRunStore implements RunStore {
  private static final String COLUMNS =
      """
      SELECT id, type, state, live, version, created_at, updated_at, charter_name, content,
             clock_timestamp() AS read_at,
             extract(epoch FROM attention_at - updated_at) * 1000 AS attention_ms
      FROM ${schema}.run
      """;

  private static final String CREATE =
      """
      INSERT INTO ${schema}.run (
        id, type, state, live, version, created_at, updated_at, attention_at, content, charter_name, charter)
      SELECT ?, ?, ?, ?, 1, t.now, t.now, t.now + ?::bigint * interval '1 millisecond', ?, ?, ?
      FROM (SELECT clock_timestamp() AS now) t
      ON CONFLICT DO NOTHING
      """;

  private static final String GET = COLUMNS + "WHERE id = ?";
  private static final String CHARTER =
      "SELECT charter FROM ${schema}.run WHERE id = ? AND charter_name = ?";

  // A charter that is not given is left alone, and not written again.
  private static final String REPLACE =
      """
      UPDATE ${schema}.run SET
        state = ?,
        live = ?,
        version = version + 1,
        updated_at = clock_timestamp(),
        attention_at = clock_timestamp() + ?::bigint * interval '1 millisecond',
        content = ?,
        charter_name = coalesce(?, charter_name),
        charter = coalesce(?, charter)
      WHERE id = ? AND version = ?
      """;

  private static final String LIST =
      COLUMNS
          + """
          WHERE (?::uuid IS NULL OR id < ?::uuid)
            AND (?::text IS NULL OR type = ?::text)
            AND (cardinality(?::text[]) = 0 OR state = ANY (?::text[]))
          ORDER BY id DESC
          LIMIT ?
          """;

  private static final String COUNTS =
      "SELECT type, state, count(*) FROM ${schema}.run GROUP BY type, state";

  private static final String OVERDUE =
      """
      SELECT id
      FROM ${schema}.run
      WHERE live AND attention_at <= (SELECT clock_timestamp())
      ORDER BY attention_at
      LIMIT ?
      """;

  private static final String PURGE =
      """
      DELETE FROM ${schema}.run
      WHERE id IN (
        SELECT id
        FROM ${schema}.run
        WHERE NOT live AND updated_at < (SELECT clock_timestamp()) - ? * interval '1 millisecond'
        ORDER BY updated_at
        LIMIT ?)
        AND NOT live
      """;

  private final Database database;

  PostgresRunStore(Database database) {
    this.database = database;
  }

  @Override
  public boolean create(Run run, String charter) {
    return database.update(
            CREATE,
            run.id(),
            run.type(),
            run.state(),
            run.live(),
            millis(run.attention()),
            run.texts().content(),
            run.texts().charter(),
            charter)
        == 1;
  }

  @Override
  public Optional<StoredRun> get(UUID id) {
    return database.first(GET, PostgresRunStore::read, id);
  }

  @Override
  public Optional<String> charter(UUID id, String name) {
    return database.first(CHARTER, row -> row.getString(1), id, name);
  }

  @Override
  public boolean replace(Run run, long version, Optional<String> charter) {
    return database.update(
            REPLACE,
            run.state(),
            run.live(),
            millis(run.attention()),
            run.texts().content(),
            charter.map(text -> run.texts().charter()).orElse(null),
            charter.orElse(null),
            run.id(),
            version)
        == 1;
  }

  @Override
  public Page<StoredRun> list(RunQuery query) {
    UUID cursor = query.cursor().isEmpty() ? null : JobLister.requireCursor(query.cursor());
    String type = query.type().orElse(null);
    Object states = SqlArray.TEXT.of(query.states());
    List<StoredRun> found =
        database.list(
            LIST,
            PostgresRunStore::read,
            cursor,
            cursor,
            type,
            type,
            states,
            states,
            query.limit() + 1);
    if (found.size() <= query.limit()) {
      return new Page<>(found, Optional.empty());
    }
    List<StoredRun> items = List.copyOf(found.subList(0, query.limit()));
    return new Page<>(items, Optional.of(items.get(items.size() - 1).run().id().toString()));
  }

  @Override
  public Map<String, Map<String, Long>> counts() {
    Map<String, Map<String, Long>> counts = new HashMap<>();
    database.list(
        COUNTS,
        row ->
            counts
                .computeIfAbsent(row.getString(1), type -> new HashMap<>())
                .put(row.getString(2), row.getLong(3)));
    return counts;
  }

  @Override
  public List<UUID> overdue(int most) {
    return database.list(OVERDUE, row -> row.getObject(1, UUID.class), most);
  }

  @Override
  public int purge(Duration age, int batch) {
    return database.update(PURGE, age.toMillis(), batch);
  }

  private static Long millis(Optional<Duration> duration) {
    return duration.map(Duration::toMillis).orElse(null);
  }

  private static StoredRun read(ResultSet row) throws SQLException {
    long attention = row.getLong("attention_ms");
    Optional<Duration> wanted =
        row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(attention));
    Run run =
        new Run(
            row.getObject("id", UUID.class),
            row.getString("type"),
            row.getString("state"),
            row.getBoolean("live"),
            wanted,
            new Texts(row.getString("charter_name"), row.getString("content")));
    return new StoredRun(
        run,
        row.getLong("version"),
        Database.instant(row, "created_at"),
        Database.instant(row, "updated_at"),
        Database.instant(row, "read_at"));
  }
}
