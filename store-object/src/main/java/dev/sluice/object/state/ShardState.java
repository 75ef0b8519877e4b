package dev.sluice.object.state;

import dev.sluice.JobState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What a control object says: everything that two processes could disagree on, and nothing else.
 *
 * <p>A backlog is not in it. Waiting jobs are in segments, which never change; of each segment this
 * knows how far each of its lines has come ({@link SegmentRef}). One by one it lists only what is
 * exceptional at the moment: jobs with a worker, jobs that were handed back, jobs that ended and
 * are not archived yet, and dedupe keys in use.
 *
 * <p>Who holds a slot is decided here too, in the same commit as the claim that needs it. So a
 * limit cannot be passed, nor can a job start under one of its limits only, and a lowered limit
 * drains by counting. No step of the protocol leaves a slot taken without a holder, because there
 * is no step between.
 *
 * @param edition which commit this is
 * @param jobs the jobs
 * @param limits workers, limits and slots
 * @param archive jobs on their way to the archive
 * @param paused queues in which nothing starts
 */
public record ShardState(
    Edition edition, Jobs jobs, Limits limits, Archive archive, Set<String> paused) {
  /** How many commits are remembered by name. */
  static final int REMEMBERED_COMMITS = 256;

  /** Before the first commit. */
  public static final ShardState EMPTY =
      new ShardState(
          new Edition(0, "", 0, List.of()),
          new Jobs(1, new TreeMap<>(), Map.of(), Map.of(), Map.of(), Map.of()),
          new Limits(0, 1, 0, Map.of(), Map.of(), Map.of(), ChangeLog.EMPTY, Asks.NONE),
          new Archive(1, 0, 0, List.of(), Map.of()),
          Set.of());

  /** Where the segments are that it refers to. */
  public Stream<String> segmentKeys() {
    return jobs.segments.values().stream().map(SegmentRef::key);
  }

  /** Whether a segment submitted under this name is done with. */
  public boolean isDoneWith(SegmentKeys.Submitted submitted) {
    ProducerMemory memory = jobs.producers.get(submitted.producer());
    return memory != null && memory.knows(submitted.sequence());
  }

  /** Whether so many commits followed this version that nobody could tell if it was made. */
  public boolean forgets(long version) {
    return edition.version() - version >= REMEMBERED_COMMITS;
  }

  /**
   * Which commit this is.
   *
   * @param version counts commits
   * @param nonce drawn for the commit, so that no two bodies are alike
   * @param time when, in microseconds by the store's clock; never goes back
   * @param recent how the nonces of the latest commits begin, this one last: whoever lost an answer
   *     finds out here whether its commit happened
   */
  public record Edition(long version, String nonce, long time, List<String> recent) {
    private static final int SHORT = 8;

    static String shortened(String nonce) {
      return nonce.substring(0, Math.min(nonce.length(), SHORT));
    }

    /** Whether the commit of this version was the one with this nonce. */
    public boolean followed(long earlier, String itsNonce) {
      long index = recent.size() - 1 - (version - earlier);
      return index >= 0
          && index < recent.size()
          && recent.get((int) index).equals(shortened(itsNonce));
    }
  }

  /**
   * The jobs.
   *
   * @param nextSegment the number the next segment gets
   * @param segments segments that are needed, by number
   * @param running jobs that belong to a worker
   * @param back jobs that were handed back, and since when (or from when on) they are due
   * @param dedupe unfinished jobs by dedupe key
   * @param producers which of a producer's segments are done with
   */
  public record Jobs(
      long nextSegment,
      SortedMap<Long, SegmentRef> segments,
      Map<UUID, RunningJob> running,
      Map<JobPlace, Long> back,
      Map<String, UUID> dedupe,
      Map<String, ProducerMemory> producers) {}

  /**
   * Workers, limits and slots.
   *
   * @param token the fencing token of what the commit gave out; grows with every commit, and past
   *     tokens that workers have seen where the store went back to an earlier state
   * @param rulesVersion grows whenever something changes that workers have to hear of
   * @param rulesChanged the version of the commit in which it last grew
   * @param rules the numbers on record, by group or family
   * @param slots who holds which slot, by group
   * @param workers workers in good standing, by id
   * @param log changes on their way to the log
   * @param asks what workers ask for, and what is kept for jobs
   */
  public record Limits(
      long token,
      long rulesVersion,
      long rulesChanged,
      Map<String, LimitRule> rules,
      Map<String, SortedMap<Integer, SlotHolder>> slots,
      Map<String, WorkerEntry> workers,
      ChangeLog log,
      Asks asks) {}

  /**
   * Jobs on their way to the archive.
   *
   * @param next the number of the next object in the archive
   * @param frozen how many of the finished jobs make up that object; 0 = not decided yet
   * @param frozenAt when that was decided last
   * @param finished jobs that ended and are not archived, in the order they ended
   * @param revived archived jobs that were tried again by hand, and the archive still has
   */
  public record Archive(
      long next,
      int frozen,
      long frozenAt,
      List<FinishedJob> finished,
      Map<UUID, Revived> revived) {}

  /**
   * A job that the archive still has although it lives again.
   *
   * @param archived the number of the object in the archive
   * @param state what it was there
   */
  public record Revived(long archived, JobState state) {}

  /**
   * Which segments of a producer are done with, so that a late copy of one is recognised.
   *
   * @param ranges from which number through which; ranges that touch are one
   * @param at when one was last done with
   */
  public record ProducerMemory(SortedMap<Long, Long> ranges, long at) {
    boolean knows(long sequence) {
      SortedMap<Long, Long> below = ranges.headMap(sequence + 1);
      return !below.isEmpty() && below.get(below.lastKey()) >= sequence;
    }

    ProducerMemory with(long sequence, long now) {
      if (knows(sequence)) {
        return new ProducerMemory(ranges, now);
      }
      TreeMap<Long, Long> next = new TreeMap<>(ranges);
      long from = sequence;
      var before = next.floorEntry(sequence);
      if (before != null && before.getValue() == sequence - 1) {
        from = before.getKey();
      }
      Long through = next.remove(sequence + 1);
      next.put(from, through == null ? sequence : through);
      return new ProducerMemory(next, now);
    }
  }
}
