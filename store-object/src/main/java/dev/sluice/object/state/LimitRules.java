package dev.sluice.object.state;

import dev.sluice.Group;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which number holds for a group, and what a change of it sets off.
 *
 * <p>The strongest level that is set holds; within a level a group's own number goes before its
 * family's. Every change raises the version of the rules. A worker names the version it knows with
 * each exchange and is given nothing under another one, so it takes note of every change before it
 * claims again.
 *
 * <p>A group that gets its first limit adopts the jobs that run in it: each of their workers holds
 * a slot for each of them from that commit on, more than the limit if need be, and the group drains
 * like one whose limit was lowered.
 *
 * <p>Submit-side limits of keyed groups last as long as a job or a permit of the group is
 * unfinished. They go on record with the first slot that is taken, and off it with the last slot if
 * no job is left: keys come and go by the hundred thousand. Until the first slot is taken the jobs
 * in line bring the number along, and the first of them counts.
 */
public final class LimitRules {
  private LimitRules() {}

  /**
   * A limit in force: the number, its level, the family it is inherited from, if any, and how it
   * came about, if that is logged.
   */
  public record InForce(
      int limit, LimitLevel level, Optional<Group> inheritedFrom, Optional<LimitChange> change) {
    static InForce of(LimitRule rule, LimitLevel level, Optional<Group> inheritedFrom) {
      return new InForce(
          rule.at(level), level, inheritedFrom, Optional.ofNullable(rule.changeOf(level)));
    }
  }

  /** The limit of this group, if it has one. */
  public static OptionalInt limitOf(ShardDraft draft, String group) {
    Integer limit = find(draft, group);
    return limit == null ? OptionalInt.empty() : OptionalInt.of(limit);
  }

  /** The limit of this group or null; what its jobs propose counts where nothing else does. */
  static Integer find(ShardDraft draft, String group) {
    Integer ruled = ruled(draft, group);
    return ruled == null && isKeyed(group) ? proposed(draft, group) : ruled;
  }

  /** The limit on record for this group, or null. */
  private static Integer ruled(ShardDraft draft, String group) {
    LimitRule own = draft.rules().getOrDefault(group, LimitRule.NONE);
    String familyName = familyOf(group);
    LimitRule family =
        familyName == null
            ? LimitRule.NONE
            : draft.rules().getOrDefault(familyName, LimitRule.NONE);
    if (own == LimitRule.NONE && family == LimitRule.NONE) {
      return null;
    }
    for (LimitLevel level : LimitLevel.values()) {
      Integer limit = own.at(level) == null ? family.at(level) : own.at(level);
      if (limit != null) {
        return limit;
      }
    }
    return null;
  }

  /** Whether a limit of this group is on record. */
  static boolean isRuled(ShardDraft draft, String group) {
    return ruled(draft, group) != null;
  }

  private static Integer proposed(ShardDraft draft, String group) {
    for (OpenSegment open : draft.segments().values()) {
      Segment segment = draft.readable(open);
      Integer limit = segment == null ? null : segment.proposals().get(group);
      if (limit != null && hasUnfinished(draft, segment, group)) {
        return limit;
      }
    }
    return null;
  }

  /** Forgets a submit-side limit of a keyed group that has no job and no slot any more. */
  static void forgetIfIdle(ShardDraft draft, String group) {
    LimitRule rule = draft.rules().get(group);
    if (rule != null
        && isKeyed(group)
        && draft.slotsOf(group).isEmpty()
        && rule.equals(LimitRule.NONE.with(LimitLevel.SUBMIT, rule.submit()))
        && !hasUnfinished(draft, group)) {
      // No worker need hear of it.
      draft.putRule(group, LimitRule.NONE);
    }
  }

  private static boolean hasUnfinished(ShardDraft draft, String group) {
    return draft.returning().stream().anyMatch(job -> job.spec().bond().groups().contains(group))
        || draft.segments().values().stream()
            .map(draft::readable)
            .anyMatch(segment -> segment == null || hasUnfinished(draft, segment, group));
  }

  private static boolean hasUnfinished(ShardDraft draft, Segment segment, String group) {
    long number = draft.numberOf(segment.key());
    OpenSegment open = draft.segments().get(number);
    for (int line : segment.linesOf(group)) {
      int[] order = segment.lines().get(line).order();
      int cursor = open.cursors.getOrDefault(line, 0);
      for (int position = 0; position < order.length; position++) {
        boolean inLine = position >= cursor && !open.gone.contains(order[position]);
        if (inLine || isOut(draft, new JobPlace(number, order[position]))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether the job of this place is with a worker, or was handed back by one. */
  private static boolean isOut(ShardDraft draft, JobPlace place) {
    RunningJob running = draft.running().get(draft.record(place).id());
    return draft.back().containsKey(place) || (running != null && running.place().equals(place));
  }

  /** The limit of this group with where it comes from. */
  public static Optional<InForce> inForce(ShardDraft draft, Group group) {
    LimitRule own = draft.rules().getOrDefault(group.toString(), LimitRule.NONE);
    Optional<Group> familyName = group.family();
    LimitRule family =
        familyName
            .map(name -> draft.rules().getOrDefault(name.toString(), LimitRule.NONE))
            .orElse(LimitRule.NONE);
    for (LimitLevel level : LimitLevel.values()) {
      if (own.at(level) != null) {
        return Optional.of(InForce.of(own, level, Optional.empty()));
      }
      if (family.at(level) != null) {
        return Optional.of(InForce.of(family, level, familyName));
      }
    }
    Integer proposed = isKeyed(group.toString()) ? proposed(draft, group.toString()) : null;
    return Optional.ofNullable(proposed)
        .map(limit -> new InForce(limit, LimitLevel.SUBMIT, Optional.empty(), Optional.empty()));
  }

  /** What live workers declare in code for this group: number → how many workers. */
  public static Map<Integer, Integer> declared(ShardDraft draft, Group group) {
    Map<Integer, Integer> declared = new TreeMap<>();
    for (WorkerEntry worker : draft.workers().values()) {
      worker
          .limits()
          .forEach(
              (name, limit) -> {
                if (name.equals(group.toString())
                    || group.family().map(f -> f.toString().equals(name)).orElse(false)) {
                  declared.merge(limit, 1, Integer::sum);
                }
              });
    }
    return declared;
  }

  /** Every group or family with a limit on record, and every group with a held slot. */
  public static Set<String> groups(ShardDraft draft) {
    Set<String> groups = new TreeSet<>(draft.rules().keySet());
    groups.addAll(draft.slots().keySet());
    draft.segments().values().forEach(o -> groups.addAll(draft.segmentAt(o).proposals().keySet()));
    return groups;
  }

  /**
   * Sets or (null) takes away the number of a group or family at one level.
   *
   * @param by who does it; stands in the log if the level is one that is logged
   */
  public static void set(
      ShardDraft draft, String name, LimitLevel level, Integer limit, String by) {
    LimitRule rule = draft.rules().getOrDefault(name, LimitRule.NONE);
    if (Objects.equals(rule.at(level), limit)) {
      return;
    }
    if (level == LimitLevel.CODE || level == LimitLevel.SUBMIT) {
      set(draft, name, level, limit);
      return;
    }
    LimitChange change =
        new LimitChange(
            Micros.toInstant(draft.now()),
            by,
            Group.parse(name),
            level,
            optional(rule.at(level)),
            optional(limit));
    put(draft, name, rule.with(change));
    draft.log(change);
  }

  private static OptionalInt optional(Integer number) {
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** The same, at a level that is not logged. */
  static void set(ShardDraft draft, String name, LimitLevel level, Integer limit) {
    LimitRule rule = draft.rules().getOrDefault(name, LimitRule.NONE);
    if (!Objects.equals(rule.at(level), limit)) {
      put(draft, name, rule.with(level, limit));
    }
  }

  private static void put(ShardDraft draft, String name, LimitRule rule) {
    Set<String> members = name.endsWith("*") ? membersOf(draft, name) : Set.of(name);
    Set<String> unlimited = new TreeSet<>();
    for (String member : members) {
      if (find(draft, member) == null) {
        unlimited.add(member);
      }
    }
    draft.putRule(name, rule);
    for (String member : unlimited) {
      if (find(draft, member) != null) {
        Slots.adopt(draft, member);
      }
    }
    draft.raiseRulesVersion();
  }

  /** Has every worker reconcile before it claims again, though no number has changed. */
  public static void announce(ShardDraft draft) {
    draft.raiseRulesVersion();
  }

  /** The groups of a family that anybody is in at the moment. */
  private static Set<String> membersOf(ShardDraft draft, String family) {
    Set<String> members = new TreeSet<>();
    for (String group : draft.slots().keySet()) {
      if (family.equals(familyOf(group))) {
        members.add(group);
      }
    }
    for (RunningJob job : draft.running().values()) {
      for (String group : draft.record(job.place()).spec().bond().groups()) {
        if (family.equals(familyOf(group))) {
          members.add(group);
        }
      }
    }
    return members;
  }

  /** Sets a submit-side limit where the group has none. */
  public static void propose(ShardDraft draft, String group, int limit) {
    if (ruled(draft, group) == null) {
      set(draft, group, LimitLevel.SUBMIT, limit);
    }
  }

  /**
   * Puts submit-side limits on record that a new segment brings along for keyed groups in which
   * jobs run without one: they are adopted, as with any first limit.
   */
  static void takeUp(ShardDraft draft, Segment segment) {
    Set<String> inUse = new TreeSet<>();
    if (segment.proposals().keySet().stream().anyMatch(LimitRules::isKeyed)) {
      for (RunningJob job : draft.running().values()) {
        inUse.addAll(draft.record(job.place()).spec().bond().groups());
      }
      inUse.retainAll(segment.proposals().keySet());
    }
    for (String group : inUse) {
      if (isKeyed(group)) {
        propose(draft, group, segment.proposals().get(group));
      }
    }
  }

  /**
   * Brings the limits that code declares up to date for these tasks: the lowest among the workers
   * that handle the task; none if they declare none; as it was if nobody handles it just now.
   */
  static void syncDeclared(ShardDraft draft, Set<String> tasks) {
    Map<String, Integer> lowest = new TreeMap<>();
    Set<String> handled = new HashSet<>();
    for (WorkerEntry worker : draft.workers().values()) {
      handled.addAll(worker.tasks());
      worker.limits().forEach((name, limit) -> lowest.merge(name, limit, Math::min));
    }
    Set<String> names = new TreeSet<>(lowest.keySet());
    draft.rules().forEach((name, rule) -> addIf(rule.code() != null, names, name));
    for (String name : names) {
      String task = plainOf(name);
      if (tasks.contains(task) && handled.contains(task)) {
        set(draft, name, LimitLevel.CODE, lowest.get(name));
      }
    }
  }

  private static void addIf(boolean wanted, Set<String> names, String name) {
    if (wanted) {
      names.add(name);
    }
  }

  /**
   * Live workers that could start a job of this group and do not know this version yet: those that
   * have jobs or slots of it, and for a family those that have jobs of its task, which may be filed
   * anew under it. Any other has to ask first, and hears of it then.
   */
  public static long unaware(ShardDraft draft, String name, long version) {
    return draft.workers().entrySet().stream()
        .filter(worker -> worker.getValue().rulesSeen() < version)
        .filter(
            worker ->
                hasJobsOf(draft, worker.getKey(), name)
                    || draft.slotsOf(name).values().stream()
                        .anyMatch(holder -> holder.isOf(worker.getKey())))
        .count();
  }

  private static boolean hasJobsOf(ShardDraft draft, String worker, String name) {
    return draft.running().values().stream()
        .filter(job -> job.claim().worker().equals(worker) && draft.isReadable(job.place()))
        .flatMap(job -> draft.record(job.place()).allGroups().stream())
        .anyMatch(group -> group.equals(name) || isOf(group, name));
  }

  private static boolean isOf(String group, String family) {
    return family.endsWith("*")
        && (group.equals(plainOf(family)) || family.equals(familyOf(group)));
  }

  static boolean isKeyed(String group) {
    return group.indexOf('/') >= 0;
  }

  static String plainOf(String group) {
    int slash = group.indexOf('/');
    return slash < 0 ? group : group.substring(0, slash);
  }

  private static String familyOf(String group) {
    int slash = group.indexOf('/');
    if (slash < 0 || group.endsWith("*")) {
      return null;
    }
    int equals = group.indexOf('=', slash);
    return group.substring(0, (equals < 0 ? slash : equals) + 1) + "*";
  }
}
