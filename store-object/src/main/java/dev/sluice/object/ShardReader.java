package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.object.Committer.Step;
import dev.sluice.object.ControlObject.Version;
import dev.sluice.object.Inbox.Found;
import dev.sluice.object.SegmentCache.SegmentGoneException;
import dev.sluice.object.state.JobFinder;
import dev.sluice.object.state.ShardDraft;
import java.util.List;
import java.util.Optional;

/**
 * Reads the state as the next commit would find it, without making one: the control object, and the
 * segments in the inbox that nobody has admitted yet.
 *
 * <p>The inbox is listed before the control object is read. A segment that is admitted in between
 * is in the control object, and one that is even done with is remembered there; the other way round
 * a segment could slip through.
 */
final class ShardReader {
  private static final int TRIES = 20;

  private final Committer committer;
  private final Committer.Parts parts;

  ShardReader(Committer committer, Committer.Parts parts) {
    this.committer = committer;
    this.parts = parts;
  }

  /** Reads, with what is in the inbox. */
  <T> T read(Step<T> step) {
    return read(
        (draft, damage) -> {
          damage.ifPresent(ShardReader::rethrow);
          return step.apply(draft);
        },
        true);
  }

  /** Looks for something, wherever it can be read; what cannot matters only if it is not found. */
  <T> Optional<T> find(Step<Optional<T>> step) {
    return read(
        (draft, damage) -> {
          Optional<T> found = step.apply(draft);
          if (found.isEmpty()) {
            damage.ifPresent(ShardReader::rethrow);
            JobFinder.requireReadable(draft);
          }
          return found;
        },
        true);
  }

  private static void rethrow(StoreIncompatibleException damage) {
    throw damage;
  }

  /** Reads the control object alone. */
  <T> T readAdmitted(Step<T> step) {
    return read((draft, damage) -> step.apply(draft), false);
  }

  /** A look at the state, and at what is wrong with a segment in the inbox. */
  private interface Look<T> {
    T apply(ShardDraft draft, Optional<StoreIncompatibleException> damage);
  }

  private <T> T read(Look<T> look, boolean withInbox) {
    for (int tries = 1; ; tries++) {
      List<Found> inbox = withInbox ? parts.inbox().list() : List.of();
      Version version = parts.control().load();
      committer.saw(version);
      committer.fetchSubmitted(inbox);
      try {
        ShardDraft draft =
            new ShardDraft(
                version.state(), parts.segments(), parts.clock().now(), parts.clock().latest());
        return look.apply(draft, Committer.admitAll(draft, inbox, parts));
      } catch (SegmentGoneException e) {
        if (tries == TRIES) {
          throw e.asDamage();
        }
        parts.segments().isMissingIf(e, parts.control().load().state());
      }
    }
  }
}
