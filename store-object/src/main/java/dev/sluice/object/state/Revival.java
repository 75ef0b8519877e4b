package dev.sluice.object.state;

import dev.sluice.InvalidRequestException;
import java.util.List;
import java.util.UUID;

/** Tries an archived job again, by hand. */
public final class Revival {
  private Revival() {}

  /** The record with which an archived job begins anew. */
  public static JobRecord again(ArchivedJob job, long now) {
    JobRecord.Past past =
        new JobRecord.Past(0, List.copyOf(job.record().past().failures()), null, null, null);
    return job.record().again(past, now);
  }

  /**
   * Takes a segment with one job in, which the archive has at this number.
   *
   * @return false if it lives already
   * @throws InvalidRequestException if an unfinished job has its dedupe key
   */
  public static boolean revive(ShardDraft draft, Segment segment, ArchivedJob job, long archived) {
    UUID id = job.record().id();
    if (JobListing.isRevived(draft, id, archived) || JobFinder.unfinished(draft, id).isPresent()) {
      return false;
    }
    String dedupeName = job.record().dedupeName();
    if (dedupeName != null && draft.dedupe().containsKey(dedupeName)) {
      throw new InvalidRequestException(
          "The job %s cannot be retried: the unfinished job %s has the same dedupe key '%s'."
              .formatted(
                  id, draft.dedupe().get(dedupeName), job.record().spec().entry().dedupeKey()));
    }
    if (dedupeName != null) {
      draft.reserve(dedupeName, id);
    }
    draft.add(segment, 1);
    draft.revive(id, new ShardState.Revived(archived, job.state()));
    return true;
  }
}
