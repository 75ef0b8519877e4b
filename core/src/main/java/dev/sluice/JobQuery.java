package dev.sluice;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Which jobs to list: all conditions must hold; newest first. Immutable, built as a chain from
 * {@link #ALL}.
 *
 * @param states any of these; empty = all
 * @param task of this task only
 * @param queue in this queue only
 * @param group in this group only
 * @param text only jobs whose payload, as JSON text, contains this text to the letter
 * @param limit how many a page holds, 1 to 1000; default 50
 * @param cursor where the page starts: {@link Page#next()} of the page before; empty = at the
 *     newest
 */
public record JobQuery(
    Set<JobState> states,
    Optional<String> task,
    Optional<String> queue,
    Optional<Group> group,
    Optional<String> text,
    int limit,
    String cursor) {
  /** Every job, 50 a page. */
  public static final JobQuery ALL =
      new JobQuery(
          Set.of(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), 50, "");

  /** Checks the page size. */
  public JobQuery {
    if (limit < 1 || limit > 1000) {
      throw new InvalidRequestException(
          "A page of " + limit + " jobs is not possible; use 1 to 1000.");
    }
    states = Set.copyOf(states);
  }

  /** In any of these states. */
  public JobQuery states(JobState first, JobState... more) {
    return new JobQuery(EnumSet.of(first, more), task, queue, group, text, limit, cursor);
  }

  /** Of this task. */
  public JobQuery task(String task) {
    return new JobQuery(states, Optional.of(task), queue, group, text, limit, cursor);
  }

  /** In this queue. */
  public JobQuery queue(String queue) {
    return new JobQuery(states, task, Optional.of(queue), group, text, limit, cursor);
  }

  /** In this group. */
  public JobQuery group(Group group) {
    return new JobQuery(states, task, queue, Optional.of(group), text, limit, cursor);
  }

  /** Whose payload contains this text. */
  public JobQuery text(String text) {
    return new JobQuery(states, task, queue, group, Optional.of(text), limit, cursor);
  }

  /** This many a page. */
  public JobQuery limit(int limit) {
    return new JobQuery(states, task, queue, group, text, limit, cursor);
  }

  /** Starting where the page before ended. */
  public JobQuery cursor(String cursor) {
    return new JobQuery(states, task, queue, group, text, limit, cursor);
  }
}
