package dev.sluice.postgres;

import dev.sluice.SluiceException;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves ready jobs into the lanes of their tasks after a task has got one: it has its first limit,
 * or its jobs stood in other workers' way. In short transactions, because the backlog may be long;
 * what it does not get to, claims move when they come across it.
 */
final class LaneMover {
  private static final Logger log = LoggerFactory.getLogger(LaneMover.class);
  private static final String HAS_LANE =
      "SELECT EXISTS (SELECT FROM ${schema}.limit_rule WHERE name = ?)";
  private static final String GIVE_LANE = "SELECT ${schema}.give_lane(?)";
  private static final String SETTLE_LANES = "SELECT ${schema}.settle_lanes(?, ?, ?)";
  private static final int BATCH = 5_000;
  private static final UUID LEAST_ID = new UUID(0, 0);

  private final Database database;
  private final AtomicBoolean moving = new AtomicBoolean();

  LaneMover(Database database) {
    this.database = database;
  }

  /** Whether a task (canonical name) has a lane already, so that its jobs stand in it. */
  boolean hasLane(String task) {
    return database.list(HAS_LANE, row -> row.getBoolean(1), task).get(0);
  }

  /** Moves the ready jobs of these tasks (canonical names), as far as they have lanes. */
  void settle(Collection<String> tasks) {
    for (UUID after = tasks.isEmpty() ? null : LEAST_ID; after != null; ) {
      UUID from = after;
      after =
          database.call(
              connection ->
                  database
                      .list(
                          connection,
                          SETTLE_LANES,
                          row -> row.getObject(1, UUID.class),
                          SqlArray.TEXT.of(connection, tasks),
                          from,
                          BATCH)
                      .get(0));
    }
  }

  /**
   * Gives these tasks lanes and moves their jobs, beside the caller: it may take longer than a
   * lease.
   */
  void giveLanesInBackground(Collection<String> tasks) {
    if (!moving.compareAndSet(false, true)) {
      return; // the next claim that has to read past them asks again
    }
    Thread mover =
        new Thread(
            () -> {
              try {
                tasks.forEach(task -> database.list(GIVE_LANE, row -> true, task));
                settle(tasks);
              } catch (SluiceException e) {
                log.warn(
                    "Moving the waiting jobs of {} to their lanes was broken off; claims go on with it.",
                    tasks,
                    e);
              } finally {
                moving.set(false);
              }
            },
            "sluice-lane-mover");
    mover.setDaemon(true);
    mover.start();
  }
}
