package dev.sluice.postgres;

import dev.sluice.Diagnosis;
import dev.sluice.spi.Checkup;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** Examines a PostgreSQL and the schema in it, and changes neither. */
final class PostgresCheckup {
  private final Checkup checkup;
  private final Database database;

  private PostgresCheckup(Checkup checkup, Database database) {
    this.checkup = checkup;
    this.database = database;
  }

  /** Examines the server that this connects to. */
  static Diagnosis of(String server, Supplier<Database> connect) {
    Checkup checkup = new Checkup(server);
    checkup
        .attempt("reach", connect)
        .ifPresent(
            connected -> {
              try (Database database = connected) {
                new PostgresCheckup(checkup, database).run();
              }
            });
    return checkup.diagnosis();
  }

  private void run() {
    checkup
        .attempt("server", () -> text("SELECT current_setting('server_version')"))
        .ifPresent(version -> checkup.good("server", "PostgreSQL " + version));
    if (checkup.roundTrips(Map.of("a query", () -> text("SELECT 'here'")))) {
      checkup
          .attempt("schema", () -> new SchemaMigrator(database).appliedVersion())
          .ifPresent(this::schema);
    }
  }

  private void schema(int applied) {
    int known = SchemaMigrator.knownVersion();
    String schema = "'" + database.schema() + "' ";
    if (applied == 0) {
      checkup.good("schema", schema + "is not there yet; the first to open the store makes it");
    } else if (applied < known) {
      checkup.good(
          "schema",
          schema
              + "is at version %d; the next to open the store brings it to %d"
                  .formatted(applied, known));
    } else {
      checkup.good(
          "schema", schema + "is at version %d, as this Sluice knows it".formatted(applied));
      contents();
    }
  }

  private void contents() {
    checkup
        .attempt(
            "workers",
            () ->
                text("SELECT count(*) FROM ${schema}.worker WHERE expires_at > clock_timestamp()"))
        .ifPresent(workers -> checkup.good("workers", workers + " with a lease that runs"));
    checkup
        .attempt("jobs", () -> new PostgresJobCatalog(database, new Waker(database)).counts())
        .ifPresent(checkup::jobs);
    checkup
        .attempt(
            "size",
            () ->
                text(
                    """
                    SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)
                      FROM pg_class c
                     WHERE c.relnamespace = to_regnamespace('${schema}')
                       AND c.relkind = 'r'
                    """))
        .ifPresent(
            bytes ->
                checkup.good(
                    "size",
                    String.format(
                        Locale.ROOT, "%.1f MB in tables and indexes", Long.parseLong(bytes) / 1e6),
                    Map.of("bytes", Double.valueOf(bytes))));
  }

  private String text(String sql) {
    return database.first(sql, row -> row.getString(1)).orElse("");
  }
}
