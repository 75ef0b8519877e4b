package dev.sluice.postgres;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Diagnosis;
import dev.sluice.spi.Checkup;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Examines a PostgreSQL and the schema in it, and changes neither. */
final class PostgresCheckup {
  private static final Duration NOTICEABLE_SKEW = Duration.ofSeconds(1);
  private static final Set<Kind> REPAIRABLE =
      EnumSet.of(Kind.MISCOUNTED, Kind.LEAKED, Kind.UNLISTED);

  private static final String STUCK_JOBS =
      """
      SELECT count(*)
      FROM ${schema}.claimed_job j
      LEFT JOIN ${schema}.worker w ON w.id = j.worker_id
      WHERE w.id IS NULL OR w.expires_at < clock_timestamp() - interval '1 minute'
      """;

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
    checkup.attempt("clock", this::clockAhead).ifPresent(this::clock);
    checkup
        .attempt("isolation", () -> text("SELECT current_setting('default_transaction_isolation')"))
        .ifPresent(this::isolation);
    if (checkup.roundTrips(Map.of("a query", () -> text("SELECT 'here'")))) {
      checkup
          .attempt("schema", () -> new SchemaMigrator(database).appliedVersion())
          .ifPresent(this::schema);
    }
  }

  private void schema(int applied) {
    int known = SchemaMigrator.knownVersion();
    String seen = "is at version %d, as this Sluice knows it";
    if (applied == 0) {
      seen = "is not there yet; the first to open the store makes it";
    } else if (applied < known) {
      seen = "is at version %d; the next to open the store brings it to %d";
    }
    checkup.good("schema", "'" + database.schema() + "' " + seen.formatted(applied, known));
    if (applied >= known) {
      contents();
    }
  }

  /** How far the server's clock is ahead of this machine's. */
  private Duration clockAhead() {
    Instant before = Instant.now();
    Instant there =
        database.one("SELECT clock_timestamp() AS now", row -> Database.instant(row, "now"));
    Duration trip = Duration.between(before, Instant.now());
    return Duration.between(before.plus(trip.dividedBy(2)), there);
  }

  private void clock(Duration ahead) {
    double seconds = ahead.toMillis() / 1e3;
    String seen =
        ahead.abs().compareTo(NOTICEABLE_SKEW) <= 0
            ? "the server's clock and this machine's agree"
            : String.format(
                Locale.ROOT,
                "the server's clock is %.1f s %s this machine's. Leases do not mind the difference, because the server"
                    + " alone tells their time; but times in logs do not compare, and a run-at that is worked out here is off by"
                    + " as much. A clock that is set back lengthens no lease for longer than until the next renewal or"
                    + " recovery; one that is set forward ends leases early, so let the server's clock be slewed, not set",
                Math.abs(seconds),
                seconds > 0 ? "ahead of" : "behind");
    checkup.good("clock", seen, Map.of("clock_ahead_s", seconds));
  }

  private void isolation(String standard) {
    checkup.good(
        "isolation",
        standard.equals("read committed")
            ? standard
            : "read committed, as Sluice asks for; the server's default is '%s', under which a submit with OnLimit.REJECT on a connection of your own is refused"
                .formatted(standard));
  }

  private void contents() {
    checkup.attempt("slots", () -> new SlotAuditor(database).audit(false)).ifPresent(this::slots);
    checkup.attempt("stuck jobs", () -> text(STUCK_JOBS)).ifPresent(this::stuckJobs);
    checkup
        .attempt(
            "workers",
            () ->
                text("SELECT count(*) FROM ${schema}.worker WHERE expires_at > clock_timestamp()"))
        .ifPresent(workers -> checkup.good("workers", workers + " with a lease that runs"));
    checkup.attempt("jobs", () -> new JobCensus(database).byState()).ifPresent(checkup::jobs);
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

  private void slots(AuditReport report) {
    if (report.isClean()) {
      checkup.good("slots", "every held slot has a holder, and every count is right");
      return;
    }
    for (AuditReport.Finding finding : report.findings()) {
      checkup.bad(
          "slots",
          "%s, %s: %s"
              .formatted(
                  finding.group(), finding.kind().name().toLowerCase(Locale.ROOT), finding.seen()),
          REPAIRABLE.contains(finding.kind())
              ? "'sluice doctor --fix' puts it right; any worker does so too within some minutes."
              : "Nothing more starts in the group until there is room; it rights itself as jobs end.");
    }
  }

  private void stuckJobs(String jobs) {
    if (jobs.equals("0")) {
      checkup.good("stuck jobs", "none");
    } else {
      checkup.bad(
          "stuck jobs",
          jobs
              + " jobs are with workers whose lease ended a minute ago or more, or are not on record",
          "Start a worker, which recovers them, or run 'sluice doctor --fix'.");
    }
  }

  private String text(String sql) {
    return database.one(sql, row -> row.getString(1));
  }
}
