package dev.sluice.spi;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * A job about to be stored.
 *
 * @param identity its id and dedupe key
 * @param task the task's name
 * @param place queue and priority
 * @param timing when it is due and how long an attempt may take
 * @param concurrency the groups it is in beyond its task's own, and what to do when one is full
 * @param payload JSON text
 */
public record NewJob(
    Identity identity,
    String task,
    Place place,
    Timing timing,
    Concurrency concurrency,
    String payload) {

  /**
   * Who the job is.
   *
   * @param id its id
   * @param explicit whether the caller chose the id, so that it may be there already, even finished
   * @param dedupeKey at most one unfinished job of the task has it
   * @param run the workflow run it belongs to
   * @param trace where its trace goes on: opaque text of up to 1,000 characters, handed to whoever
   *     runs it
   */
  public record Identity(
      UUID id,
      boolean explicit,
      Optional<String> dedupeKey,
      Optional<RunLink> run,
      Optional<String> trace) {
    /** A job that belongs to no run and no trace. */
    public Identity(UUID id, boolean explicit, Optional<String> dedupeKey) {
      this(id, explicit, dedupeKey, Optional.empty(), Optional.empty());
    }
  }

  /**
   * The run a job belongs to. The job stays on record for as long as the run is live.
   *
   * @param id the run
   * @param since when the run was created, by the store's clock: no job of it is older, so nobody
   *     who looks for one has to look further back
   */
  public record RunLink(UUID id, Instant since) {}

  /** Where the job stands in line: its queue, and its priority, higher first. */
  public record Place(String queue, int priority) {}

  /**
   * When.
   *
   * @param runAt not before this moment; empty = {@code delay} from the moment it is stored, by the
   *     store's clock
   * @param delay the delay, zero or more
   * @param timeout how long an attempt may run, if bounded
   */
  public record Timing(Optional<Instant> runAt, Duration delay, Optional<Duration> timeout) {}

  /**
   * The groups of a job.
   *
   * @param groups those beyond the task's own, without duplicates, in canonical order; at most four
   * @param limited the group a submit-side limit is for (the task's own or one of {@code groups}),
   *     if there is one
   * @param limit that limit: set where the group has none yet
   * @param onLimit what to do when a limited group is full
   */
  public record Concurrency(
      List<Group> groups, Optional<Group> limited, OptionalInt limit, OnLimit onLimit) {}
}
