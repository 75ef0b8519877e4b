package dev.sluice.postgres;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.SlotInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads limits, who holds their slots, and who set them. */
final class LimitReader {
  // As one text: a hundred thousand rows would take longer to send than to find. Names hold no
  // newlines.
  private static final String GROUPS =
      """
      SELECT coalesce(string_agg(name, E'\\n'), '')
      FROM (
        SELECT name FROM ${schema}.limit_rule WHERE coalesce(operator, config, code, submit) IS NOT NULL
        UNION
        SELECT group_name FROM ${schema}.held_slot
      ) n
      """;

  private static final String STATUS =
      """
      SELECT s.*, c.at, c.by, c.name AS changed, c.before, c.after
      FROM (
        SELECT g.name,
               ${schema}.limit_in_use(g.name) AS max,
               ${schema}.waiting_in(g.name) AS waiting,
               CASE
                 WHEN coalesce(own.operator, family.operator) IS NOT NULL THEN 'OPERATOR'
                 WHEN coalesce(own.config, family.config) IS NOT NULL THEN 'CONFIG'
                 WHEN coalesce(own.code, family.code) IS NOT NULL THEN 'CODE'
                 WHEN coalesce(own.submit, family.submit) IS NOT NULL THEN 'SUBMIT'
               END AS level,
               CASE
                 WHEN own.operator IS NOT NULL THEN NULL
                 WHEN family.operator IS NOT NULL THEN family.name
                 WHEN own.config IS NOT NULL THEN NULL
                 WHEN family.config IS NOT NULL THEN family.name
                 WHEN own.code IS NOT NULL THEN NULL
                 WHEN family.code IS NOT NULL THEN family.name
                 WHEN own.submit IS NOT NULL THEN NULL
                 WHEN family.submit IS NOT NULL THEN family.name
               END AS inherited_from
        FROM (SELECT ?::text AS name) g
        LEFT JOIN ${schema}.limit_rule own ON own.name = g.name AND NOT ${schema}.is_idle(g.name)
        LEFT JOIN ${schema}.limit_rule family ON family.name = ${schema}.family_of(g.name)
      ) s
      LEFT JOIN LATERAL (
        SELECT *
        FROM ${schema}.limit_change l
        WHERE l.name = coalesce(s.inherited_from, s.name) AND l.level = lower(s.level)
        ORDER BY l.id DESC
        LIMIT 1
      ) c ON true
      """;

  private static final String DECLARED =
      """
      SELECT d.max, count(*) AS workers
      FROM ${schema}.worker w
      CROSS JOIN LATERAL unnest(w.limit_names, w.limit_values) AS d(name, max)
      WHERE (d.name = ? OR d.name = ${schema}.family_of(?)) AND w.expires_at > clock_timestamp()
      GROUP BY d.max
      """;

  // The jobs of a worker are in the slots that are lent to it in the order they started. A slot
  // that several jobs name is that of the job that runs, or else of the one that was claimed first.
  private static final String SLOTS =
      """
      WITH lent AS (
        SELECT s.*, row_number() OVER (PARTITION BY s.worker_id ORDER BY s.slot) AS rank
        FROM ${schema}.slot s
        WHERE s.group_name = ?
      ), working AS (
        SELECT j.id, j.worker_id, j.started_at, row_number() OVER (PARTITION BY j.worker_id ORDER BY j.started_at, j.id) AS rank
        FROM ${schema}.claimed_job j
        WHERE j.started_at IS NOT NULL AND (j.task = ? OR ? = ANY (j.groups))
      ), held AS (
        SELECT l.slot, coalesce(l.holder, k.id::text) AS task_id, l.holder_worker, l.worker_id, l.expires_at,
               coalesce(k.started_at, l.acquired_at) AS since, l.token
        FROM lent l
        LEFT JOIN working k ON k.worker_id = l.worker_id AND k.rank = l.rank
        UNION ALL
        SELECT DISTINCT ON (h.slot)
               h.slot, CASE WHEN h.started_at IS NOT NULL THEN h.id::text END, NULL, h.worker_id, NULL,
               coalesce(h.started_at, clock_timestamp()), h.token
        FROM ${schema}.claimed_in(?) h
        WHERE h.slot IS NOT NULL
        ORDER BY 1, 6, 7
      )
      SELECT h.slot, h.task_id, coalesce(h.holder_worker, h.worker_id::text) AS worker_id,
             coalesce(h.expires_at, w.expires_at, h.since) AS expires_at, h.since, h.token
      FROM held h
      LEFT JOIN ${schema}.worker w ON w.id = h.worker_id
      ORDER BY h.slot
      """;

  private static final String CHANGES =
      """
      SELECT name AS changed, level, before, after, by, at
      FROM ${schema}.limit_change
      WHERE ?::text IS NULL OR name = ?::text
      ORDER BY id DESC
      LIMIT ?
      """;

  private final Database database;

  LimitReader(Database database) {
    this.database = database;
  }

  ConcurrencyStatus status(Group group) {
    String name = group.toString();
    Map<Integer, Integer> declared = new HashMap<>();
    database.list(
        DECLARED, row -> declared.put(row.getInt("max"), row.getInt("workers")), name, name);
    List<SlotInfo> slots = slots(group);
    return database.one(
        STATUS,
        row ->
            new ConcurrencyStatus(
                group,
                Database.number(row, "max"),
                slots.size(),
                row.getInt("waiting"),
                new ConcurrencyStatus.Origin(
                    Optional.ofNullable(row.getString("level")).map(LimitLevel::valueOf),
                    Optional.ofNullable(row.getString("inherited_from")).map(Group::parse),
                    Map.copyOf(declared),
                    row.getString("changed") == null ? Optional.empty() : Optional.of(change(row))),
                slots),
        name);
  }

  List<SlotInfo> slots(Group group) {
    String name = group.toString();
    return database.list(
        SLOTS,
        row ->
            new SlotInfo(
                row.getInt("slot"),
                Optional.ofNullable(row.getString("task_id")),
                Optional.ofNullable(row.getString("worker_id")),
                Database.instant(row, "expires_at"),
                Database.instant(row, "since"),
                row.getLong("token")),
        name,
        name,
        name,
        name);
  }

  List<Group> groups() {
    return database
        .one(GROUPS, row -> row.getString(1))
        .lines()
        .map(Group::parse)
        .sorted()
        .toList();
  }

  List<LimitChange> changes(Optional<Group> group, int most) {
    String name = group.map(Group::toString).orElse(null);
    return database.list(CHANGES, LimitReader::change, name, name, most);
  }

  private static LimitChange change(ResultSet row) throws SQLException {
    return new LimitChange(
        Database.instant(row, "at"),
        row.getString("by"),
        Group.parse(row.getString("changed")),
        LimitLevel.valueOf(row.getString("level").toUpperCase(Locale.ROOT)),
        Database.number(row, "before"),
        Database.number(row, "after"));
  }
}
