package dev.sluice.cli;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.LimitLevel;
import dev.sluice.Page;
import dev.sluice.cli.text.Printable;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Table;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Groups, a line each: the busiest, or as many as there are. */
final class GroupsSheet {
  private static final int BAR = 20;
  private static final int PAGE = 1_000;
  private static final int MOST_WAITING_COUNTED = 10_000;

  private final SluiceCommand root;
  private final Style style;

  GroupsSheet(SluiceCommand root) {
    this.root = root;
    this.style = root.console().style();
  }

  /** The busiest, and as long as there is room, those in which nobody is. */
  void busiest(ConcurrencyLimits limits, String search, int most) {
    List<GroupSummary> groups =
        new ArrayList<>(limits.summaries(GroupQuery.BUSIEST.search(search).limit(most)).items());
    boolean more = groups.size() >= most;
    if (!more) {
      Set<Object> shown = new HashSet<>();
      groups.forEach(group -> shown.add(group.group()));
      Page<GroupSummary> named =
          limits.summaries(
              GroupQuery.BY_NAME.search(search).limit(Math.min(PAGE, most + shown.size())));
      List<GroupSummary> idle =
          named.items().stream().filter(group -> !shown.contains(group.group())).toList();
      groups.addAll(idle.subList(0, Math.min(idle.size(), most - groups.size())));
      more = named.next().isPresent() || shown.size() + idle.size() > most;
    }
    print(groups, true);
    if (groups.isEmpty() && !root.json()) {
      root.remark(
          search.isEmpty()
              ? "No group has a limit or a held slot. Set one with 'sluice concurrency set GROUP --limit N'."
              : Printable.of(
                  "No group with a limit or a held slot has '" + search + "' in its name."));
    }
    if (more) {
      root.remark("There may be more: --search TEXT finds some, --all lists them by name.");
    }
  }

  /** All of them by name, a page at a time, however many there are. */
  void all(ConcurrencyLimits limits, String search) {
    String cursor = "";
    boolean first = true;
    do {
      Page<GroupSummary> page =
          limits.summaries(GroupQuery.BY_NAME.search(search).limit(PAGE).cursor(cursor));
      print(page.items(), first);
      first = false;
      cursor = page.next().orElse("");
    } while (!cursor.isEmpty());
  }

  private void print(List<GroupSummary> groups, boolean headings) {
    if (root.json()) {
      groups.forEach(group -> root.sayJson(asMap(group)));
      return;
    }
    Table table =
        new Table(style)
            .flexible("GROUP")
            .right("ACTIVE")
            .right("LIMIT")
            .left("")
            .right("WAITING")
            .left("LIMIT FROM");
    for (GroupSummary group : groups) {
      boolean family = group.group().isFamily();
      boolean bounded = group.limit().isPresent() && !family;
      table.row(
          Printable.of(group.group().toString()),
          family ? "-" : String.valueOf(group.active()),
          limit(style, group),
          bounded ? style.bar(group.active(), group.limit().getAsInt(), BAR) : "",
          family ? "-" : waiting(group),
          group.level().map(LimitLevel::toString).orElse("-"));
    }
    if (!table.isEmpty()) {
      table.lines(root.console().tableWidth()).stream().skip(headings ? 0 : 1).forEach(root::say);
    }
  }

  static String limit(Style style, GroupSummary group) {
    return (group.limit().isPresent()
            ? String.valueOf(group.limit().getAsInt())
            : style.unlimited())
        + (group.group().isFamily() ? " each" : "");
  }

  static String waiting(GroupSummary group) {
    return "%,d%s".formatted(group.waiting(), group.waiting() >= MOST_WAITING_COUNTED ? "+" : "");
  }

  /** A group for machines. */
  static Map<String, Object> asMap(GroupSummary group) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("group", group.group().toString());
    map.put("limit", group.limit().isPresent() ? group.limit().getAsInt() : null);
    map.put("active", group.active());
    map.put("waiting", group.waiting());
    map.put("level", group.level().map(LimitLevel::toString).orElse(null));
    map.put("held", group.limit().isPresent() && group.limit().getAsInt() == 0);
    return map;
  }
}
