package dev.sluice.object.state;

import dev.sluice.JobState;
import dev.sluice.Queues.DueJobs;
import dev.sluice.Queues.QueueInfo;
import dev.sluice.object.state.Segment.Line;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;

/** Counts jobs line by line, without looking at each. */
public final class JobCounts {
  private JobCounts() {}

  /** How many jobs of a line are in it, due and not due. */
  record Length(long due, long later) {}

  static Length length(ShardDraft draft, OpenSegment open, Segment segment, int lineIndex) {
    Line line = segment.lines().get(lineIndex);
    int cursor = open.cursors.getOrDefault(lineIndex, 0);
    int firstLater = firstLater(draft, segment, line, cursor);
    long due = firstLater - cursor;
    long later = line.order().length - firstLater;
    for (int index : open.gone) {
      if (segment.lineOf(index) == lineIndex && segment.positionOf(index) >= cursor) {
        if (segment.positionOf(index) < firstLater) {
          due--;
        } else {
          later--;
        }
      }
    }
    return new Length(due, later);
  }

  /** The position of the first job of a line that is not due. */
  private static int firstLater(ShardDraft draft, Segment segment, Line line, int cursor) {
    int low = cursor;
    int high = line.order().length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (segment.job(line.order()[middle]).spec().timing().runAt() <= draft.now()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * How many jobs of a group are due and not finished, counted no further than {@code enough}.
   *
   * @param before of this job's segment, only jobs before it count
   */
  static int pending(ShardDraft draft, String group, int enough, JobPlace before) {
    long pending = 0;
    for (Map.Entry<Long, OpenSegment> entry : draft.segments().entrySet()) {
      OpenSegment open = entry.getValue();
      Segment segment = draft.segmentAt(open);
      if (entry.getKey() == before.segment()) {
        for (int index = 0; index < before.index(); index++) {
          JobRecord job = segment.job(index);
          boolean counts =
              job.spec().timing().runAt() <= draft.now()
                  && open.ref().isInLine(segment, index)
                  && segment.lines().get(segment.lineOf(index)).trait().groups().contains(group);
          pending += counts ? 1 : 0;
        }
      } else {
        pending += due(draft, open, segment, group);
      }
      if (pending >= enough) {
        return enough;
      }
    }
    pending += inHands(draft, group, true);
    return (int) Math.min(pending, enough);
  }

  /** How many due jobs of a group have no worker, counted no further than {@code enough}. */
  public static int waiting(ShardDraft draft, String group, int enough) {
    long waiting = 0;
    for (OpenSegment open : draft.segments().values()) {
      waiting += due(draft, open, draft.segmentAt(open), group);
    }
    return (int) Math.min(enough, waiting + inHands(draft, group, false));
  }

  private static long due(ShardDraft draft, OpenSegment open, Segment segment, String group) {
    long due = 0;
    for (int i = 0; i < segment.lines().size(); i++) {
      if (segment.lines().get(i).trait().groups().contains(group)) {
        due += length(draft, open, segment, i).due;
      }
    }
    return due;
  }

  /** Jobs that were handed back and are due, and those with workers. */
  private static long inHands(ShardDraft draft, String group, boolean withWorkers) {
    long count =
        draft.back().entrySet().stream()
            .filter(entry -> entry.getValue() <= draft.now())
            .filter(entry -> draft.record(entry.getKey()).allGroups().contains(group))
            .count();
    return withWorkers
        ? count
            + draft.running().values().stream()
                .filter(job -> draft.record(job.place()).allGroups().contains(group))
                .count()
        : count;
  }

  /** How many jobs that are not archived are in each state. */
  public static Map<JobState, Long> byState(ShardDraft draft) {
    Map<JobState, Long> counts = new EnumMap<>(JobState.class);
    Map<String, Boolean> full = new HashMap<>();
    Function<List<String>, JobState> dueState =
        groups ->
            groups.stream().anyMatch(g -> full.computeIfAbsent(g, x -> Slots.isFull(draft, x)))
                ? JobState.WAITING
                : JobState.READY;
    for (OpenSegment open : draft.segments().values()) {
      Segment segment = draft.segmentAt(open);
      for (int i = 0; i < segment.lines().size(); i++) {
        Length length = length(draft, open, segment, i);
        List<String> groups = segment.lines().get(i).trait().groups();
        counts.merge(JobState.SCHEDULED, length.later, Long::sum);
        if (length.due > 0) {
          counts.merge(dueState.apply(groups), length.due, Long::sum);
        }
      }
    }
    draft
        .back()
        .forEach(
            (place, due) ->
                counts.merge(
                    due > draft.now()
                        ? JobState.SCHEDULED
                        : dueState.apply(draft.record(place).allGroups()),
                    1L,
                    Long::sum));
    draft
        .running()
        .values()
        .forEach(
            job ->
                counts.merge(job.hasStarted() ? JobState.RUNNING : JobState.READY, 1L, Long::sum));
    draft.finished().forEach(job -> counts.merge(job.end().state(), 1L, Long::sum));
    return counts;
  }

  /** Every queue that has unfinished jobs or is paused. */
  public static List<QueueInfo> byQueue(ShardDraft draft) {
    Map<String, Tally> queues = new TreeMap<>();
    draft.paused().forEach(queue -> queues.put(queue, new Tally()));
    for (OpenSegment open : draft.segments().values()) {
      Segment segment = draft.segmentAt(open);
      for (int i = 0; i < segment.lines().size(); i++) {
        Length length = length(draft, open, segment, i);
        Segment.Trait trait = segment.lines().get(i).trait();
        if (length.due + length.later > 0) {
          Tally tally = queues.computeIfAbsent(trait.queue(), q -> new Tally());
          tally.scheduled += length.later;
          if (length.due > 0) {
            tally.due(trait.task(), length.due, firstDue(open, segment, i));
          }
        }
      }
    }
    draft
        .back()
        .forEach(
            (place, due) -> {
              Tally tally = queues.computeIfAbsent(queueOf(draft, place), q -> new Tally());
              if (due > draft.now()) {
                tally.scheduled++;
              } else {
                tally.due(draft.record(place).spec().task(), 1, due);
              }
            });
    for (RunningJob job : draft.running().values()) {
      Tally tally = queues.computeIfAbsent(queueOf(draft, job.place()), q -> new Tally());
      if (job.hasStarted()) {
        tally.running++;
      } else {
        tally.due(draft.record(job.place()).spec().task(), 1, job.due());
      }
    }
    return queues.entrySet().stream()
        .map(entry -> entry.getValue().info(entry.getKey(), draft.isPaused(entry.getKey())))
        .toList();
  }

  /** What is counted of a queue. */
  private static final class Tally {
    final Map<String, DueJobs> due = new HashMap<>();
    long running;
    long scheduled;

    void due(String task, long jobs, long oldest) {
      due.merge(task, new DueJobs(jobs, Micros.toInstant(oldest)), DueJobs::plus);
    }

    QueueInfo info(String name, boolean paused) {
      return new QueueInfo(name, paused, due, running, scheduled);
    }
  }

  /** Since when the first job of a line is due. */
  private static long firstDue(OpenSegment open, Segment segment, int lineIndex) {
    int[] order = segment.lines().get(lineIndex).order();
    int position = open.cursors.getOrDefault(lineIndex, 0);
    while (open.gone.contains(order[position])) {
      position++;
    }
    return segment.job(order[position]).spec().timing().runAt();
  }

  private static String queueOf(ShardDraft draft, JobPlace place) {
    return draft.record(place).spec().place().queue();
  }

  /** When the next job that is not due yet will be, as far as segments can be read. */
  public static OptionalLong nextDue(ShardDraft draft) {
    long next = Long.MAX_VALUE;
    for (long due : draft.back().values()) {
      next = due > draft.now() ? Math.min(next, due) : next;
    }
    for (OpenSegment open : draft.segments().values()) {
      Segment segment = draft.readable(open);
      int lines = segment == null ? 0 : segment.lines().size();
      for (int i = 0; i < lines; i++) {
        int[] order = segment.lines().get(i).order();
        int cursor = open.cursors.getOrDefault(i, 0);
        int position = firstLater(draft, segment, segment.lines().get(i), cursor);
        while (position < order.length && open.gone.contains(order[position])) {
          position++;
        }
        if (position < order.length) {
          next = Math.min(next, segment.job(order[position]).spec().timing().runAt());
        }
      }
    }
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }
}
