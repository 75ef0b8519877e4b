package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.LimitLevel;
import dev.sluice.Page;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Lists groups in a line each. First it finds which, from the limits and the held slots; then it
 * counts for those alone, so that the number of groups costs little.
 */
final class GroupLister {
  private static final String BY_NAME =
      """
      SELECT name
      FROM (
        (SELECT r.name
         FROM ${schema}.limit_rule r
         WHERE coalesce(r.operator, r.config, r.code, r.submit) IS NOT NULL
           AND r.name > ?
           AND ${schema}.name_contains(r.name, ?, ?, ?)
         ORDER BY r.name
         LIMIT ?)
        UNION
        (SELECT s.group_name
         FROM ${schema}.held_slot s
         WHERE s.group_name > ?
           AND ${schema}.name_contains(s.group_name, ?, ?, ?)
         GROUP BY s.group_name
         ORDER BY s.group_name
         LIMIT ?)
      ) n
      ORDER BY name
      LIMIT ?
      """;

  // The index is partial: it has the few that are held, among any number of limits.
  private static final String HELD =
      """
      SELECT r.name
      FROM ${schema}.limit_rule r
      WHERE (r.operator = 0 OR r.config = 0 OR r.code = 0 OR r.submit = 0)
        AND r.name > ?
        AND ${schema}.name_contains(r.name, ?, ?, ?)
      ORDER BY r.name
      LIMIT ?
      """;

  // Hot groups by their counters, full ones first; of the others those that jobs were set aside
  // for, and those with the most slots in use.
  private static final String BUSIEST =
      """
      SELECT name
      FROM (
        (SELECT g.group_name AS name
         FROM ${schema}.slot_group g
         WHERE ${schema}.name_contains(g.group_name, ?, ?, ?)
         GROUP BY g.group_name
         ORDER BY sum(g.used) >= sum(g.capacity) DESC, sum(g.used) DESC, name
         LIMIT ?)
        UNION
        (SELECT substr(l, 2)
         FROM ${schema}.lanes_after('*', 500) AS l
         WHERE left(l, 1) = '*' AND ${schema}.name_contains(substr(l, 2), ?, ?, ?)
         LIMIT ?)
        UNION
        (SELECT w.task
         FROM ${schema}.ready_in_open_lane() w
         JOIN ${schema}.limit_rule r ON r.name = w.task
         WHERE ${schema}.name_contains(w.task, ?, ?, ?)
         LIMIT ?)
        UNION
        (SELECT s.group_name
         FROM ${schema}.held_slot s
         WHERE ${schema}.name_contains(s.group_name, ?, ?, ?)
         GROUP BY s.group_name
         ORDER BY count(DISTINCT s.slot) DESC, s.group_name
         LIMIT ?)
      ) candidates
      """;

  private static final String SUMMARIES =
      "SELECT group_name, max, level, active, waiting FROM ${schema}.summaries_of(?)";

  /** Of how many groups of each kind the jobs are counted before the busiest are chosen. */
  private static final int CANDIDATES = 80;

  private static final Comparator<GroupSummary> BUSIEST_FIRST =
      Comparator.comparing(
              (GroupSummary summary) -> summary.pressure() >= 1 && summary.waiting() > 0)
          .thenComparingInt(GroupSummary::waiting)
          .thenComparingDouble(GroupSummary::pressure)
          .thenComparingInt(GroupSummary::active)
          .reversed()
          .thenComparing(GroupSummary::group);

  private final Database database;

  GroupLister(Database database) {
    this.database = database;
  }

  Page<GroupSummary> list(GroupQuery query) {
    return query.order() == GroupQuery.Order.NAME ? byName(query) : busiest(query);
  }

  private Page<GroupSummary> byName(GroupQuery query) {
    Search search = Search.of(query.search());
    int wanted = query.limit() + 1;
    List<Object> part = List.of(query.cursor(), search.text, search.upper, search.lower, wanted);
    List<String> names =
        query.held() ? names(HELD, part) : names(BY_NAME, part, part, List.of(wanted));
    Optional<String> next =
        names.size() < wanted ? Optional.empty() : Optional.of(names.get(query.limit() - 1));
    List<GroupSummary> summaries =
        summaries(names.subList(0, Math.min(names.size(), query.limit())));
    return new Page<>(chosen(summaries, query), next);
  }

  /** A rule may say 0 and a stronger one another number. */
  private static List<GroupSummary> chosen(List<GroupSummary> summaries, GroupQuery query) {
    return query.held()
        ? summaries.stream().filter(summary -> summary.limit().orElse(1) == 0).toList()
        : summaries;
  }

  /** The names that a query finds; its parts have these parameters, one after the other. */
  private List<String> names(String sql, List<?>... parameters) {
    return database.list(
        sql, row -> row.getString(1), Stream.of(parameters).flatMap(List::stream).toArray());
  }

  private Page<GroupSummary> busiest(GroupQuery query) {
    Search search = Search.of(query.search());
    int most = Math.max(CANDIDATES, query.limit());
    List<Object> part = List.of(search.text, search.upper, search.lower, most);
    List<String> candidates = names(BUSIEST, part, part, part, part);
    List<GroupSummary> busiest =
        chosen(summaries(candidates), query).stream()
            .filter(summary -> summary.active() > 0 || summary.waiting() > 0)
            .sorted(BUSIEST_FIRST)
            .limit(query.limit())
            .toList();
    return new Page<>(busiest, Optional.empty());
  }

  private List<GroupSummary> summaries(List<String> names) {
    return names.isEmpty()
        ? List.of()
        : database.list(SUMMARIES, GroupLister::read, SqlArray.TEXT.of(names));
  }

  private static GroupSummary read(ResultSet row) throws SQLException {
    return new GroupSummary(
        Group.parse(row.getString("group_name")),
        Database.number(row, "max"),
        Optional.ofNullable(row.getString("level")).map(LimitLevel::valueOf),
        row.getInt("active"),
        row.getInt("waiting"));
  }

  /**
   * A text to look for whatever the case. Which letters a server knows the lower case of depends on
   * its locale, so those of the text are named to it, in pairs.
   */
  private record Search(String text, String upper, String lower) {
    static Search of(String given) {
      String text = given.toLowerCase(Locale.ROOT);
      int[] lower =
          text.codePoints()
              .filter(letter -> letter > 127 && Character.toUpperCase(letter) != letter)
              .distinct()
              .toArray();
      int[] upper = IntStream.of(lower).map(Character::toUpperCase).toArray();
      return new Search(
          text, new String(upper, 0, upper.length), new String(lower, 0, lower.length));
    }
  }
}
