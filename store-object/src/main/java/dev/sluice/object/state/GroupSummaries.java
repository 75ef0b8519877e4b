package dev.sluice.object.state;

import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.Page;
import dev.sluice.object.state.LimitRules.InForce;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Groups in a line each: every line of waiting jobs is looked at once, however many groups. */
public final class GroupSummaries {
  /** Waiting jobs are counted no further than this. */
  public static final int ENOUGH_WAITING = 10_000;

  /** The order of {@link GroupQuery.Order#BUSIEST}. */
  public static final Comparator<GroupSummary> BUSIEST_FIRST =
      Comparator.comparing((GroupSummary group) -> group.active() == 0)
          .thenComparing(GroupSummary::waiting, Comparator.reverseOrder())
          .thenComparing(GroupSummary::pressure, Comparator.reverseOrder())
          .thenComparing(GroupSummary::active, Comparator.reverseOrder())
          .thenComparing(GroupSummary::group);

  private GroupSummaries() {}

  /**
   * A page of groups.
   *
   * @param counted which groups this shard counts
   */
  public static Page<GroupSummary> page(
      ShardDraft draft, GroupQuery query, Predicate<Group> counted) {
    String search = query.search().toLowerCase(Locale.ROOT);
    TreeSet<String> names = new TreeSet<>(LimitRules.groups(draft));
    names.removeIf(name -> !name.toLowerCase(Locale.ROOT).contains(search));
    if (query.held()) {
      names.removeIf(name -> !isHeldByItsOwnRule(draft, name));
    }
    return query.order() == GroupQuery.Order.BUSIEST
        ? busiest(draft, query, names, counted)
        : byName(draft, query, names, counted);
  }

  /** Whether a limit of its own holds it at 0; a group of a held family is not one. */
  private static boolean isHeldByItsOwnRule(ShardDraft draft, String name) {
    return LimitRules.inForce(draft, Group.parse(name))
        .filter(limit -> limit.limit() == 0 && limit.inheritedFrom().isEmpty())
        .isPresent();
  }

  private static Page<GroupSummary> busiest(
      ShardDraft draft, GroupQuery query, Set<String> names, Predicate<Group> counted) {
    Map<String, Long> waiting = waiting(draft, names);
    List<GroupSummary> busiest =
        names.stream()
            .filter(name -> draft.slots().containsKey(name) || waiting.containsKey(name))
            .map(Group::parse)
            .filter(group -> !group.isFamily() && counted.test(group))
            .map(group -> summary(draft, group, waiting))
            .sorted(BUSIEST_FIRST)
            .limit(query.limit())
            .toList();
    return new Page<>(busiest, Optional.empty());
  }

  private static Page<GroupSummary> byName(
      ShardDraft draft, GroupQuery query, TreeSet<String> names, Predicate<Group> counted) {
    List<Group> groups = new ArrayList<>();
    for (String name : names.tailSet(query.cursor(), false)) {
      Group group = Group.parse(name);
      if (counted.test(group)) {
        groups.add(group);
      }
      if (groups.size() > query.limit()) {
        break;
      }
    }
    List<Group> shown = groups.subList(0, Math.min(groups.size(), query.limit()));
    Set<String> wanted = new TreeSet<>();
    shown.forEach(group -> wanted.add(group.toString()));
    Map<String, Long> waiting = waiting(draft, wanted);
    return new Page<>(
        shown.stream().map(group -> summary(draft, group, waiting)).toList(),
        groups.size() > query.limit()
            ? Optional.of(shown.get(shown.size() - 1).toString())
            : Optional.empty());
  }

  private static GroupSummary summary(ShardDraft draft, Group group, Map<String, Long> waiting) {
    Optional<InForce> limit = LimitRules.inForce(draft, group);
    return new GroupSummary(
        group,
        limit.isPresent() ? OptionalInt.of(limit.get().limit()) : OptionalInt.empty(),
        limit.map(InForce::level),
        draft.slotsOf(group.toString()).size(),
        (int) Math.min(ENOUGH_WAITING, waiting.getOrDefault(group.toString(), 0L)));
  }

  /** How many due jobs of these groups have no worker; groups without any are left out. */
  private static Map<String, Long> waiting(ShardDraft draft, Set<String> groups) {
    Map<String, Long> waiting = new TreeMap<>();
    Map<List<String>, List<String>> wanted = new HashMap<>();
    for (OpenSegment open : draft.segments().values()) {
      Segment segment = draft.segmentAt(open);
      for (int i = 0; i < segment.lines().size(); i++) {
        List<String> counted = wanted(wanted, segment.lines().get(i).trait().groups(), groups);
        long due = counted.isEmpty() ? 0 : JobCounts.length(draft, open, segment, i).due();
        if (due > 0) {
          counted.forEach(group -> waiting.merge(group, due, Long::sum));
        }
      }
    }
    draft
        .back()
        .forEach(
            (place, due) -> {
              if (due <= draft.now()) {
                wanted(wanted, draft.record(place).allGroups(), groups)
                    .forEach(group -> waiting.merge(group, 1L, Long::sum));
              }
            });
    return waiting;
  }

  private static List<String> wanted(
      Map<List<String>, List<String>> known, List<String> all, Set<String> groups) {
    return known.computeIfAbsent(all, names -> names.stream().filter(groups::contains).toList());
  }
}
