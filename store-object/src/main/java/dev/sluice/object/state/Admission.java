package dev.sluice.object.state;

import dev.sluice.Group;
import dev.sluice.SluiceException;
import dev.sluice.Submission;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Takes new segments in, and decides about jobs that asked for a decision: one with the dedupe key
 * of an unfinished job, one whose id is there already, one that would rather be refused than wait.
 *
 * <p>The decision is part of the commit that admits the segment, so nothing comes between looking
 * and storing. Whoever admits a segment decides for its submitter, and the answer stays on record
 * with the segment until the segment is dropped; so it does not matter who was first.
 */
public final class Admission {
  /** Counting goes no further than this beyond the limit. */
  private static final int ENOUGH = 1_000;

  private Admission() {}

  /** What the archive has, of ids that callers chose. */
  @FunctionalInterface
  public interface ArchivedIds {
    /**
     * Which of these are ids of jobs in the archive.
     *
     * @param since what was archived before need not be looked at
     */
    Set<UUID> among(Set<UUID> ids, long since);
  }

  /**
   * Admits a segment, unless it is known already.
   *
   * @return what was answered for jobs that are not admitted, by index
   * @throws SluiceException if it was done with so long ago that nobody can say
   */
  public static Map<Integer, Submission> admit(
      ShardDraft draft, Segment segment, ArchivedIds archived) {
    if (draft.isAdmitted(segment.key())) {
      return draft.refusedOf(segment.key());
    }
    if (SegmentKeys.submitted(segment.key()).map(draft::isDoneWith).orElse(false)) {
      throw new SluiceException(
          "The segment '%s' was admitted and done with before its submitter could ask what became of it."
              .formatted(segment.key()));
    }
    segment
        .proposals()
        .forEach(
            (group, limit) -> {
              if (!LimitRules.isKeyed(group)) {
                LimitRules.propose(draft, group, limit);
              }
            });
    boolean decide = segment.isGuarded();
    Set<UUID> taken = decide ? JobFinder.explicitIdsInUse(draft, segment) : Set.of();
    if (decide) {
      taken.addAll(archivedIds(segment, archived));
    }
    long number = draft.add(segment, segment.jobs().size());
    if (!decide) {
      return Map.of();
    }
    for (int index = 0; index < segment.jobs().size(); index++) {
      decide(draft, new JobPlace(number, index), taken);
    }
    Map<Integer, Submission> refused = draft.refusedOf(segment.key());
    draft.dropIfDone(number);
    return refused;
  }

  /** All of them in one look; a job of a run cannot have been archived before there was the run. */
  private static Set<UUID> archivedIds(Segment segment, ArchivedIds archived) {
    Set<UUID> chosen = new HashSet<>();
    long since = Long.MAX_VALUE;
    for (JobRecord job : segment.jobs()) {
      JobRecord.Entry entry = job.spec().entry();
      if (entry.explicit()) {
        chosen.add(job.id());
        since = Math.min(since, entry.owner() == null ? 0 : entry.owner().since());
      }
    }
    return chosen.isEmpty() ? Set.of() : archived.among(chosen, since);
  }

  private static void decide(ShardDraft draft, JobPlace place, Set<UUID> taken) {
    JobRecord job = draft.record(place);
    JobRecord.Entry entry = job.spec().entry();
    Submission obstacle = null;
    if (entry.dedupeKey() != null && draft.dedupe().containsKey(job.dedupeName())) {
      obstacle = new Submission.Duplicate(draft.dedupe().get(job.dedupeName()));
    } else if (entry.explicit() && !taken.add(job.id())) {
      obstacle = new Submission.Duplicate(job.id());
    } else if (entry.reject()) {
      obstacle = rejection(draft, place, job);
    }
    if (obstacle != null) {
      draft.refuse(place.segment(), place.index(), obstacle);
    } else if (entry.dedupeKey() != null) {
      draft.reserve(job.dedupeName(), job.id());
    }
  }

  private static Submission rejection(ShardDraft draft, JobPlace place, JobRecord job) {
    for (String group : job.allGroups()) {
      Integer limit = LimitRules.find(draft, group);
      if (limit != null) {
        // Jobs behind this one in its own segment have not been decided about; they do not count.
        int pending = JobCounts.pending(draft, group, limit + ENOUGH, place);
        if (pending >= limit) {
          return new Submission.Rejected(Group.parse(group), limit, pending);
        }
      }
    }
    return null;
  }
}
