package dev.sluice.object.state;

import dev.sluice.object.state.Segment.Line;
import dev.sluice.object.state.Segment.Trait;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/** How many jobs stand before another one, by the order in which jobs are claimed. */
public final class PlaceInLine {
  private final ShardDraft draft;
  private final Rank rank;
  private final Predicate<Trait> counts;
  private final boolean limited;
  private final Map<String, Long> places = new HashMap<>();

  /** Counts these lines; limited = as far as a claim would get. */
  private PlaceInLine(ShardDraft draft, Rank rank, Predicate<Trait> counts, boolean limited) {
    this.draft = draft;
    this.rank = rank;
    this.counts = counts;
    this.limited = limited;
  }

  /** By what a job's place in line is found. */
  public record Rank(String queue, int priority, long due, UUID id) {
    boolean isBehind(int itsPriority, long itsDue, UUID itsId) {
      if (itsPriority != priority) {
        return itsPriority > priority;
      }
      return itsDue != due ? itsDue < due : JobRecord.compareIds(itsId, id) < 0;
    }
  }

  /** The rank of the job of this id, if it has no worker. */
  public static Optional<Rank> rank(ShardDraft draft, UUID id) {
    return draft.running().containsKey(id)
        ? Optional.empty()
        : JobFinder.inReadable(draft, id)
            .map(
                place -> {
                  JobRecord.Spec spec = draft.record(place).spec();
                  long due = draft.back().getOrDefault(place, spec.timing().runAt());
                  return new Rank(spec.place().queue(), spec.place().priority(), due, id);
                });
  }

  /** How many due jobs of a group without a worker come before one of this rank, up to so many. */
  public static int aheadInGroup(ShardDraft draft, Rank rank, String group, int most) {
    return new PlaceInLine(draft, rank, trait -> trait.groups().contains(group), false).count(most);
  }

  /**
   * How many due jobs of its queue could be claimed before one of this rank, up to so many: of
   * these tasks, and no more than there are places in their groups.
   */
  public static int aheadInQueue(ShardDraft draft, Rank rank, Set<String> tasks, int most) {
    Predicate<Trait> counts =
        trait -> trait.queue().equals(rank.queue) && tasks.contains(trait.task());
    return new PlaceInLine(draft, rank, counts, true).count(most);
  }

  private int count(int most) {
    long ahead = 0;
    for (Map.Entry<JobPlace, Long> handedBack : draft.back().entrySet()) {
      Segment segment = draft.segment(handedBack.getKey().segment());
      int index = handedBack.getKey().index();
      Trait trait = segment.lines().get(segment.lineOf(index)).trait();
      boolean before =
          handedBack.getValue() <= draft.now()
              && counts.test(trait)
              && rank.isBehind(trait.priority(), handedBack.getValue(), segment.job(index).id());
      ahead += before ? admitted(trait, 1) : 0;
    }
    for (OpenSegment open : draft.segments().values()) {
      Segment segment = draft.segmentAt(open);
      for (int i = 0; i < segment.lines().size() && ahead < most; i++) {
        ahead += admitted(segment.lines().get(i).trait(), inLine(open, segment, i));
      }
    }
    return (int) Math.min(most, ahead);
  }

  /** For how many of so many jobs there is a place in each of their groups. */
  private long admitted(Trait trait, long jobs) {
    if (!limited || jobs == 0) {
      return jobs;
    }
    long admitted = jobs;
    for (String group : trait.groups()) {
      admitted = Math.min(admitted, Math.max(0, places.computeIfAbsent(group, this::placesIn)));
    }
    for (String group : trait.groups()) {
      places.merge(group, -admitted, Long::sum);
    }
    return admitted;
  }

  private long placesIn(String group) {
    Integer limit = LimitRules.find(draft, group);
    return limit == null ? Long.MAX_VALUE : limit - draft.slotsOf(group).size();
  }

  private long inLine(OpenSegment open, Segment segment, int lineIndex) {
    Line line = segment.lines().get(lineIndex);
    if (!counts.test(line.trait()) || line.trait().priority() < rank.priority) {
      return 0;
    }
    if (line.trait().priority() > rank.priority) {
      return JobCounts.length(draft, open, segment, lineIndex).due();
    }
    int cursor = open.cursors.getOrDefault(lineIndex, 0);
    int end = firstBehind(segment, line, cursor);
    long before = end - cursor;
    for (int gone : open.gone) {
      boolean counted =
          segment.lineOf(gone) == lineIndex
              && segment.positionOf(gone) >= cursor
              && segment.positionOf(gone) < end;
      before -= counted ? 1 : 0;
    }
    return before;
  }

  /** The position of the first job of a line that is not due, or does not go first. */
  private int firstBehind(Segment segment, Line line, int cursor) {
    int low = cursor;
    int high = line.order().length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      JobRecord job = segment.job(line.order()[middle]);
      long runAt = job.spec().timing().runAt();
      if (runAt <= draft.now() && rank.isBehind(rank.priority, runAt, job.id())) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
