package dev.sluice.object.state;

import dev.sluice.StoreIncompatibleException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Finds jobs that are not archived, by id. */
public final class JobFinder {
  private JobFinder() {}

  /**
   * Where the unfinished job of this id is; its worker, if it has one.
   *
   * @throws StoreIncompatibleException if it was not found, and a segment it may be in is damaged
   */
  public static Optional<JobPlace> unfinished(ShardDraft draft, UUID id) {
    Optional<JobPlace> found = inReadable(draft, id);
    if (found.isEmpty()) {
      requireReadable(draft);
    }
    return found;
  }

  /** The same, in segments that can be read. */
  static Optional<JobPlace> inReadable(ShardDraft draft, UUID id) {
    RunningJob running = draft.running().get(id);
    if (running != null) {
      return Optional.of(running.place());
    }
    for (Map.Entry<Long, OpenSegment> entry : draft.segments().entrySet()) {
      Segment segment = draft.readable(entry.getValue());
      Integer index = segment == null ? null : segment.indexOf(id);
      if (index != null) {
        JobPlace place = new JobPlace(entry.getKey(), index);
        boolean pending =
            draft.back().containsKey(place) || entry.getValue().ref().isInLine(segment, index);
        if (pending) {
          return Optional.of(place);
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Passes if every segment can be read.
   *
   * @throws StoreIncompatibleException if one is damaged
   */
  public static void requireReadable(ShardDraft draft) {
    draft.segments().values().forEach(draft::segmentAt);
  }

  /** The job of this id that ended and is not archived yet. */
  public static Optional<FinishedJob> finished(ShardDraft draft, UUID id) {
    return draft.finished().stream().filter(job -> job.id().equals(id)).findFirst();
  }

  /** Which of the ids that this segment's callers chose are those of jobs not archived yet. */
  static Set<UUID> explicitIdsInUse(ShardDraft draft, Segment segment) {
    Set<UUID> ended = draft.finished().stream().map(FinishedJob::id).collect(Collectors.toSet());
    Set<UUID> inUse = new HashSet<>();
    for (JobRecord job : segment.jobs()) {
      if (job.spec().entry().explicit()
          && (unfinished(draft, job.id()).isPresent() || ended.contains(job.id()))) {
        inUse.add(job.id());
      }
    }
    return inUse;
  }
}
