package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.object.ControlObject.Version;
import dev.sluice.object.SegmentCache.SegmentGoneException;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.ShardState;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves finished jobs from the control object to the archive: see {@link JobArchive}. Each process
 * writes what its own commits decided on, and what others have left undone.
 */
final class ArchiveWriter {
  private static final Logger log = LoggerFactory.getLogger(ArchiveWriter.class);

  private static final Duration ABANDONED_AFTER = Duration.ofSeconds(2);

  private final StoreEnvironment environment;
  private final JobArchive archive;
  private final SegmentCache segments;
  private Committer committer;
  private long begun;

  /** Whether a failure was spoken of that is not over yet. */
  private volatile boolean spoken;

  ArchiveWriter(StoreEnvironment environment, JobArchive archive, SegmentCache segments) {
    this.environment = environment;
    this.archive = archive;
    this.segments = segments;
  }

  /** Who makes the commits that follow. */
  void follow(Committer commits) {
    committer = commits;
  }

  /**
   * Takes note of a commit: what it decided to archive is written soon, and what another process
   * decided and has not written for a while.
   */
  void afterCommit(ShardState before, ShardState state) {
    boolean decidedHere =
        before.archive().frozen() == 0 || before.archive().next() != state.archive().next();
    boolean abandoned =
        state.edition().time() - state.archive().frozenAt() > Micros.of(ABANDONED_AFTER);
    synchronized (this) {
      if (state.archive().frozen() == 0
          || state.archive().next() <= begun
          || !(decidedHere || abandoned)) {
        return;
      }
      begun = state.archive().next();
    }
    environment.chores().execute(() -> writeLater(state));
  }

  private void writeLater(ShardState state) {
    try {
      long number = state.archive().next();
      if (!isWritten(state)) {
        return;
      }
      spoken = false;
      committer.commitSometime(
          draft -> {
            draft.archived(number);
            return true;
          });
    } catch (SluiceException e) {
      if (!spoken) {
        spoken = true;
        log.warn(
            "Finished jobs cannot be archived yet; they stay in the control object. {}",
            e.getMessage());
      }
      synchronized (this) {
        begun = Math.min(begun, state.archive().next() - 1);
      }
    }
  }

  /** Archives everything that has ended so far. */
  void writeAll() {
    while (committer.commit(
        draft -> {
          draft.freeze(1, 0);
          return draft.frozen() > 0;
        })) {
      Version version = committer.latest();
      if (version.state().archive().frozen() > 0) {
        write(version.state());
      }
    }
  }

  private void write(ShardState state) {
    long number = state.archive().next();
    if (isWritten(state)) {
      committer.commit(
          draft -> {
            draft.archived(number);
            return true;
          });
    }
  }

  /**
   * Writes what this state has decided on. False if another process has done so and let go of it,
   * and the segments are gone for that reason.
   *
   * @throws dev.sluice.StoreIncompatibleException if they are gone for another: then the outcomes
   *     stay in the control object
   */
  private boolean isWritten(ShardState state) {
    try {
      archive.write(state, segments);
      return true;
    } catch (SegmentGoneException e) {
      if (segments.isMissingIf(e, committer.read())) {
        throw e.asDamage();
      }
      log.debug("Another process has archived these jobs already.", e);
      return false;
    }
  }
}
