package dev.sluice.object.state;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Finds jobs that are not archived, by id. */
public final class JobFinder {
  private JobFinder() {}

  /** Where the unfinished job of this id is; its worker, if it has one. */
  public static Optional<JobPlace> unfinished(ShardDraft draft, UUID id) {
    RunningJob running = draft.running().get(id);
    if (running != null) {
      return Optional.of(running.place());
    }
    for (Map.Entry<Long, ShardDraft.OpenSegment> entry : draft.segments().entrySet()) {
      Segment segment = draft.segmentAt(entry.getValue());
      Integer index = segment.indexOf(id);
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

  /** The job of this id that ended and is not archived yet. */
  public static Optional<FinishedJob> finished(ShardDraft draft, UUID id) {
    return draft.finished().stream().filter(job -> job.id().equals(id)).findFirst();
  }

  /** Which of the ids that this segment's callers chose are those of jobs not archived yet. */
  static Set<UUID> explicitIdsInUse(ShardDraft draft, Segment segment) {
    Set<UUID> inUse = new HashSet<>();
    for (JobRecord job : segment.jobs()) {
      if (job.spec().entry().explicit()
          && (unfinished(draft, job.id()).isPresent() || finished(draft, job.id()).isPresent())) {
        inUse.add(job.id());
      }
    }
    return inUse;
  }
}
