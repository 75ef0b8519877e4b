package dev.sluice.spi;

import dev.sluice.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Runs of workflows, as versioned documents. The store knows what it has to look at (type, state,
 * whether a run is live, when it wants attention) and nothing of what the texts say.
 *
 * <p>A run is replaced only by someone who has read it: {@link #replace} succeeds for one of any
 * number that have read the same version. Ids are chosen by the caller and never used again, not
 * even after a run was removed.
 *
 * <p>As long as a run is live, its jobs ({@link NewJob.RunLink}) stay on record, finished or not.
 */
public interface RunStore {
  /**
   * What is written.
   *
   * @param id its id
   * @param type the type of the workflow
   * @param state where the run is, in a word
   * @param live whether it may go on by itself; only a run that is not live is removed with age
   * @param attention how long after this write somebody should look if nothing was written until
   *     then; empty = nobody need
   * @param texts what the run consists of
   */
  record Run(
      UUID id,
      String type,
      String state,
      boolean live,
      Optional<Duration> attention,
      Texts texts) {}

  /**
   * The texts of a run.
   *
   * @param charter the name of the charter, up to 64 letters, digits and hyphens. The charter
   *     itself is a text that is written once under its name and read when needed
   * @param content everything else, written anew each time: keep it small
   */
  record Texts(String charter, String content) {}

  /**
   * What is read.
   *
   * @param run what was written
   * @param version names this state of it
   * @param createdAt when it was created, by the store's clock
   * @param updatedAt when this was written
   * @param readAt when it was read, by the same clock
   */
  record StoredRun(Run run, long version, Instant createdAt, Instant updatedAt, Instant readAt) {}

  /**
   * Creates a run.
   *
   * @param charter the text of the charter it names
   * @return false if the id is taken; nothing was changed then
   */
  boolean create(Run run, String charter);

  /** The run of this id. */
  Optional<StoredRun> get(UUID id);

  /** The text of a run's charter; empty if the run has no charter of this name any more. */
  Optional<String> charter(UUID id, String name);

  /**
   * Replaces a run.
   *
   * @param version the version that was read
   * @param charter the text of the charter it names, if that is another than before
   * @return false if it has another version by now, or is gone; nothing was changed then
   */
  boolean replace(Run run, long version, Optional<String> charter);

  /** The runs that match, newest (by id) first, a page at a time. */
  Page<StoredRun> list(RunQuery query);

  /** How many runs there are, by type and state. */
  Map<String, Map<String, Long>> counts();

  /** Live runs that wanted attention before now, those that have waited longest first. */
  List<UUID> overdue(int most);

  /**
   * Removes up to {@code batch} runs that are not live and were written longer ago than {@code
   * age}; returns how many.
   */
  int purge(Duration age, int batch);
}
