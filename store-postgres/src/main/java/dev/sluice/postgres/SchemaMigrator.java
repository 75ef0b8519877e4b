package dev.sluice.postgres;

import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema up to the version this code knows.
 *
 * <p>Migrations are numbered SQL files in the jar, never changed once released, each applied once,
 * all under one advisory lock, so any number of processes may open the store at the same moment.
 * During a deploy, older code goes on working on a newer schema as long as the newest migration
 * says so: {@code schema_version.oldest_code} is the oldest version of the code that can work with
 * it. Code that is older than that refuses to open the store, and changes nothing.
 */
final class SchemaMigrator {
  private static final Logger log = LoggerFactory.getLogger(SchemaMigrator.class);

  /**
   * One migration: its file, and the oldest version of the code that can work with the schema once
   * it is applied.
   */
  private record Migration(String file, int oldestCode) {}

  private static final List<Migration> MIGRATIONS =
      List.of(
          new Migration("001_create_tables", 17),
          new Migration("002_create_limits", 17),
          new Migration("003_create_lanes", 17),
          new Migration("004_create_limit_changes", 17),
          new Migration("005_create_slots", 17),
          new Migration("006_create_search", 17),
          new Migration("007_create_admission", 17),
          new Migration("008_create_claim", 17),
          new Migration("009_create_fairness", 17),
          new Migration("010_create_outcomes", 17),
          new Migration("011_create_exchange", 17),
          new Migration("012_create_workers", 17),
          new Migration("013_create_wake_ups", 17),
          new Migration("014_create_submit", 17),
          new Migration("015_create_documents", 17),
          new Migration("016_create_audit", 17),
          new Migration("017_create_lists", 17));

  private static final int OLDEST_SERVER = 130_000;

  /**
   * What functions have in common, by what they do; the head of the first migration says why there
   * are planner settings. Lookups find one row for each of a bounded list; scans read lines of jobs
   * from an index; lists join lists with lists, which the planner takes for short.
   */
  private static final Map<String, String> FUNCTIONS =
      Map.of(
          "${sql}",
          "LANGUAGE sql SET search_path = ${schema}, pg_temp",
          "${plpgsql}",
          "LANGUAGE plpgsql SET search_path = ${schema}, pg_temp SET jit = off",
          "${lookups}",
          """
          LANGUAGE plpgsql SET search_path = ${schema}, pg_temp SET jit = off
          SET max_parallel_workers_per_gather = 0 SET enable_seqscan = off SET enable_bitmapscan = off
          SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan""",
          "${scans}",
          """
          LANGUAGE plpgsql SET search_path = ${schema}, pg_temp SET jit = off
          SET max_parallel_workers_per_gather = 0 SET enable_seqscan = off SET enable_bitmapscan = off
          SET enable_nestloop = off SET plan_cache_mode = force_generic_plan""",
          "${lists}",
          """
          LANGUAGE plpgsql SET search_path = ${schema}, pg_temp SET jit = off
          SET max_parallel_workers_per_gather = 0 SET enable_nestloop = off SET enable_hashjoin = on
          SET enable_mergejoin = on""");

  private final Database database;

  SchemaMigrator(Database database) {
    this.database = database;
  }

  /** Applies what is missing. */
  void migrate() {
    database.inTransaction(
        connection -> {
          database.execute(connection, "SET LOCAL client_min_messages = warning");
          database.run(
              connection,
              "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))",
              database.schema() + "/migration");
          int applied = appliedVersion(connection);
          if (applied < MIGRATIONS.size()) {
            apply(connection, applied);
          }
          return null;
        });
  }

  /** How many migrations this code knows. */
  static int knownVersion() {
    return MIGRATIONS.size();
  }

  /**
   * How many migrations were applied, without applying any.
   *
   * @throws StoreIncompatibleException if the server is too old, or the schema too new
   */
  int appliedVersion() {
    return database.call(this::appliedVersion);
  }

  private void checkServer(Connection connection) throws SQLException {
    int version =
        database.one(
            connection, "SELECT current_setting('server_version_num')::int", row -> row.getInt(1));
    if (version < OLDEST_SERVER) {
      throw new StoreIncompatibleException(
          "PostgreSQL at %s is version %d; 13 or newer is needed."
              .formatted(database.server(), version / 10_000));
    }
  }

  private int appliedVersion(Connection connection) throws SQLException {
    checkServer(connection);
    if (!isThere(connection, "to_regclass", database.schema() + ".schema_version")) {
      return 0;
    }
    record Version(int newest, int oldestCode) {}
    Version version =
        database.one(
            connection,
            "SELECT coalesce(max(version), 0), coalesce(max(oldest_code), 0) FROM ${schema}.schema_version",
            row -> new Version(row.getInt(1), row.getInt(2)));
    if (version.oldestCode > MIGRATIONS.size()) {
      throw new StoreIncompatibleException(
          ("The schema '%s' at %s is version %d, made by a newer Sluice; this one knows versions up to %d."
                  + " Upgrade this process; nothing was changed.")
              .formatted(database.schema(), database.server(), version.newest, MIGRATIONS.size()));
    }
    return version.newest;
  }

  private boolean isThere(Connection connection, String function, String name) throws SQLException {
    String sql = "SELECT %s(?) IS NOT NULL".formatted(function);
    return database.one(connection, sql, row -> row.getBoolean(1), name);
  }

  private void apply(Connection connection, int applied) throws SQLException {
    if (applied == 0) {
      // Only when it is missing: a role that may not create schemas can use one made for it.
      if (!isThere(connection, "to_regnamespace", database.schema())) {
        database.execute(connection, "CREATE SCHEMA ${schema}");
      }
      database.execute(
          connection,
          """
          CREATE TABLE ${schema}.schema_version (
            version integer PRIMARY KEY,
            name text NOT NULL,
            oldest_code integer NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
          )
          """);
    }
    database.execute(connection, "SET LOCAL search_path = ${schema}, pg_temp");
    for (int version = applied + 1; version <= MIGRATIONS.size(); version++) {
      Migration migration = MIGRATIONS.get(version - 1);
      database.execute(connection, read(migration.file));
      database.run(
          connection,
          "INSERT INTO ${schema}.schema_version (version, name, oldest_code) VALUES (?, ?, ?) RETURNING version",
          version,
          migration.file,
          migration.oldestCode);
    }
    log.info(
        "Schema '{}' at {} is now at version {} (was {}).",
        database.schema(),
        database.server(),
        MIGRATIONS.size(),
        applied);
  }

  private static String read(String file) {
    String resource = "migration/" + file + ".sql";
    try (InputStream in = SchemaMigrator.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new SluiceException("The migration " + resource + " is missing from the jar.");
      }
      String sql = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (Map.Entry<String, String> settings : FUNCTIONS.entrySet()) {
        sql = sql.replace(settings.getKey(), settings.getValue());
      }
      return sql;
    } catch (IOException e) {
      throw new SluiceException("The migration " + resource + " cannot be read.", e);
    }
  }
}
