package dev.sluice.postgres;

import dev.sluice.spi.ScheduleStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Schedules, in the table {@code schedule}. */
final class PostgresScheduleStore implements ScheduleStore {
  private static final String COLUMNS =
      """
      SELECT name, text, next, version, updated_at, clock_timestamp() AS read_at
      FROM ${schema}.schedule
      """;

  private static final String CREATE =
      """
      INSERT INTO ${schema}.schedule (name, text, next, version)
      VALUES (?, ?, ?, nextval('${schema}.schedule_version'))
      ON CONFLICT DO NOTHING
      """;

  private static final String GET = COLUMNS + "WHERE name = ?";

  private static final String DUE =
      COLUMNS
          + """
          WHERE next <= (SELECT clock_timestamp())
          ORDER BY next, name
          LIMIT ?
          """;

  private static final String REPLACE =
      """
      UPDATE ${schema}.schedule SET
        text = ?,
        next = ?,
        version = nextval('${schema}.schedule_version'),
        updated_at = clock_timestamp()
      WHERE name = ? AND version = ?
      """;

  private static final String DELETE =
      "DELETE FROM ${schema}.schedule WHERE name = ? AND version = ?";

  private final Database database;

  PostgresScheduleStore(Database database) {
    this.database = database;
  }

  @Override
  public boolean create(Entry entry) {
    return database.update(CREATE, entry.name(), entry.text(), next(entry)) == 1;
  }

  @Override
  public Optional<StoredSchedule> get(String name) {
    return database.first(GET, PostgresScheduleStore::read, name);
  }

  @Override
  public List<StoredSchedule> list() {
    // Here and not by the database, whose order of names depends on its locale.
    return database.list(COLUMNS, PostgresScheduleStore::read).stream()
        .sorted(Comparator.comparing(schedule -> schedule.entry().name()))
        .toList();
  }

  @Override
  public List<StoredSchedule> due(int most) {
    return database.list(DUE, PostgresScheduleStore::read, most);
  }

  @Override
  public boolean replace(Entry entry, long version) {
    return database.update(REPLACE, entry.text(), next(entry), entry.name(), version) == 1;
  }

  @Override
  public boolean delete(String name, long version) {
    return database.update(DELETE, name, version) == 1;
  }

  private static Timestamp next(Entry entry) {
    return entry.next().map(Timestamp::from).orElse(null);
  }

  private static StoredSchedule read(ResultSet row) throws SQLException {
    return new StoredSchedule(
        new Entry(
            row.getString("name"),
            row.getString("text"),
            Optional.ofNullable(Database.instant(row, "next"))),
        row.getLong("version"),
        Database.instant(row, "updated_at"),
        Database.instant(row, "read_at"));
  }
}
