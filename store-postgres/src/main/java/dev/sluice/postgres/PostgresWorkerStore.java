package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The workers on record, in the table {@code worker}. */
final class PostgresWorkerStore implements WorkerStore {
  private static final String LIST =
      """
      SELECT id, name, queues, tasks, limit_names, limit_values, lease_ms, started_at, expires_at,
             clock_timestamp() AS read_at, bulletin
      FROM ${schema}.worker
      ORDER BY started_at, id
      """;

  private final Database database;

  PostgresWorkerStore(Database database) {
    this.database = database;
  }

  @Override
  public List<StoredWorker> list() {
    return database.list(LIST, PostgresWorkerStore::read);
  }

  private static StoredWorker read(ResultSet row) throws SQLException {
    String[] names = texts(row, "limit_names");
    Integer[] numbers = (Integer[]) row.getArray("limit_values").getArray();
    Map<Group, Integer> limits = new HashMap<>();
    for (int i = 0; i < names.length; i++) {
      limits.put(Group.parse(names[i]), numbers[i]);
    }
    return new StoredWorker(
        row.getString("id"),
        new WorkerRegistration(
            row.getString("name"),
            Set.of(texts(row, "queues")),
            Stream.of(texts(row, "tasks"))
                .map(task -> Group.parse(task).plainName())
                .collect(Collectors.toSet()),
            limits,
            Duration.ofMillis(row.getLong("lease_ms"))),
        Database.instant(row, "started_at"),
        Database.instant(row, "expires_at"),
        Database.instant(row, "read_at"),
        Optional.ofNullable(row.getString("bulletin")));
  }

  private static String[] texts(ResultSet row, String column) throws SQLException {
    return (String[]) row.getArray(column).getArray();
  }
}
