package dev.sluice.postgres;

import dev.sluice.SluiceException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes how groups are kept, where claims say that it is worth while: gives lanes to tasks whose
 * jobs are in the way of others, and has the slots of contended groups counted and lent to workers
 * ({@code give_lanes} and {@code heat} in {@code migration/003_create_lanes.sql} and {@code
 * migration/004_create_limit_changes.sql}).
 *
 * <p>The ready jobs of a task that has just got a lane are moved into it in short transactions,
 * because the backlog may be long. Claims find a job that was not moved where it is. A submit that
 * may be rejected counts the jobs in the lane alone, and moves what is left first.
 */
final class GroupKeeper {
  private static final Logger log = LoggerFactory.getLogger(GroupKeeper.class);
  private static final String GIVE_LANES = "SELECT ${schema}.give_lanes(?)";
  private static final String GIVE_LANES_TO_COUNT = "SELECT ${schema}.give_lanes_to_count(?)";
  private static final String GIVE_LANES_TO_CROWDS = "SELECT ${schema}.give_lanes_to_crowds(?)";
  private static final String SETTLE_LANES = "SELECT ${schema}.settle_lanes(?, ?, ?)";
  private static final String HEAT = "SELECT ${schema}.heat(?)";
  private static final int BATCH = 5_000;
  private static final UUID LEAST_ID = new UUID(0, 0);

  private final Database database;
  private final AtomicBoolean busy = new AtomicBoolean();

  /** Tasks of which this process has seen all ready jobs in their lane. */
  private final Set<String> settled = ConcurrentHashMap.newKeySet();

  GroupKeeper(Database database) {
    this.database = database;
  }

  /** Gives these tasks (canonical names) lanes and moves their jobs, beside the caller. */
  void giveLanes(Set<String> tasks) {
    inBackground(
        tasks,
        "Moving waiting jobs to lanes of their own",
        () -> {
          call(GIVE_LANES, tasks);
          settle(tasks);
        });
  }

  /**
   * Gives lanes to those of these tasks (canonical names) whose groups are full, before many jobs
   * of each are stored; moves the jobs that are there beside the caller.
   */
  void giveLanesToCrowds(Set<String> tasks) {
    Set<String> given = Set.copyOf(call(GIVE_LANES_TO_CROWDS, tasks));
    inBackground(given, "Moving waiting jobs to lanes of their own", () -> settle(given));
  }

  /** Has the slots of these groups (canonical names) counted and lent, beside the caller. */
  void heat(Set<String> groups) {
    inBackground(groups, "Counting slots", () -> call(HEAT, groups));
  }

  /**
   * Makes the jobs of those of these groups countable that are limited tasks' own. Another process
   * may have given the lane and be at moving the jobs: so each moves what is left, once.
   */
  void makeCountable(Collection<String> groups) {
    List<String> unsettled = groups.stream().filter(group -> !settled.contains(group)).toList();
    if (!unsettled.isEmpty()) {
      List<String> tasks = call(GIVE_LANES_TO_COUNT, unsettled);
      settle(tasks);
      settled.addAll(tasks);
    }
  }

  private List<String> call(String sql, Collection<String> names) {
    return database.list(sql, row -> row.getString(1), SqlArray.TEXT.of(names));
  }

  private void settle(Collection<String> tasks) {
    SqlArray.Values names = SqlArray.TEXT.of(tasks);
    for (UUID after = tasks.isEmpty() ? null : LEAST_ID; after != null; ) {
      after = database.one(SETTLE_LANES, row -> row.getObject(1, UUID.class), names, after, BATCH);
    }
  }

  /** One at a time: if it is still worth while later, a later claim says so again. */
  private void inBackground(Set<String> names, String what, Runnable work) {
    if (names.isEmpty() || !busy.compareAndSet(false, true)) {
      return;
    }
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (SluiceException e) {
                log.warn(
                    "{} was broken off, for {}; a later claim asks for it again.", what, names, e);
              } finally {
                busy.set(false);
              }
            },
            "sluice-group-keeper");
    thread.setDaemon(true);
    thread.start();
  }
}
