package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Page;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Lists jobs, newest first, with an effort that does not depend on how many there are.
 *
 * <p>Few filters have an index, because every index is paid for by every job. The list reads the
 * jobs in the order of their ids instead, a stretch at a time, until the page is full or enough
 * time has passed; then the page ends where the reading ended, and the next goes on from there.
 * What an index does serve (running jobs, those that did not succeed, a key with few jobs) is not
 * read in stretches.
 */
final class JobLister {
  private static final String FEW_IN = "SELECT ${schema}.few_in(?, ?)";
  private static final String FLOOR_OF = "SELECT ${schema}.floor_of(?, ?, ?, ?, ?)";
  private static final String LIST_JOBS =
      "SELECT * FROM ${schema}.list_jobs(?, ?, ?, ?, ?, ?, ?::uuid[], ?, ?, ?, ?, ?, ?)";

  private static final UUID LEAST_ID = new UUID(0, 0);
  private static final UUID GREATEST_ID = new UUID(-1, -1);
  private static final int FEW = 2_000;
  private static final int FIRST_STRETCH = 1_000;
  private static final int LONGEST_STRETCH = 16_000;
  private static final long EFFORT_NANOS = Duration.ofMillis(90).toNanos();
  private static final long SHORT_NANOS = Duration.ofMillis(12).toNanos();

  private final Database database;

  JobLister(Database database) {
    this.database = database;
  }

  /** What a query looks at. */
  private record Scope(boolean live, boolean finished, boolean claimed, boolean bad) {
    static Scope of(Set<JobState> states) {
      Set<JobState> wanted = states.isEmpty() ? EnumSet.allOf(JobState.class) : states;
      List<JobState> live = wanted.stream().filter(state -> !state.finished()).toList();
      return new Scope(
          !live.isEmpty(),
          live.size() < wanted.size(),
          live.equals(List.of(JobState.RUNNING)),
          !wanted.contains(JobState.SUCCEEDED));
    }
  }

  Page<JobInfo> list(JobQuery query) {
    UUID start = query.cursor().isEmpty() ? GREATEST_ID : requireCursor(query.cursor());
    return database.call(connection -> list(connection, query, start));
  }

  private Page<JobInfo> list(Connection connection, JobQuery query, UUID start)
      throws SQLException {
    Scope scope = Scope.of(query.states());
    Object few = scope.live ? fewIn(connection, query.group()) : null;
    boolean inStretches = scope.live && !scope.claimed && few == null;
    List<JobInfo> found = new ArrayList<>();
    long began = System.nanoTime();
    long last = began;
    int stretch = FIRST_STRETCH;
    UUID before = start;
    while (true) {
      UUID floor =
          Objects.requireNonNullElse(
              database.one(
                  connection,
                  FLOOR_OF,
                  row -> row.getObject(1, UUID.class),
                  before,
                  inStretches,
                  scope.finished,
                  scope.bad,
                  stretch),
              LEAST_ID);
      found.addAll(
          database.list(
              connection,
              LIST_JOBS,
              JobRow::read,
              before,
              floor,
              scope.live,
              scope.finished,
              scope.claimed,
              scope.bad,
              few,
              query.task().map(name -> Group.of(name).toString()).orElse(null),
              query.queue().orElse(null),
              query.group().map(Group::toString).orElse(null),
              query.text().orElse(null),
              SqlArray.TEXT.of(query.states(), JobState::name),
              query.limit() + 1 - found.size()));
      if (found.size() > query.limit()) {
        List<JobInfo> items = List.copyOf(found.subList(0, query.limit()));
        return new Page<>(items, Optional.of(items.get(items.size() - 1).id().toString()));
      }
      if (floor.equals(LEAST_ID)) {
        return new Page<>(List.copyOf(found), Optional.empty());
      }
      long now = System.nanoTime();
      if (now - began > EFFORT_NANOS) {
        return new Page<>(List.copyOf(found), Optional.of(floor.toString()));
      }
      if (now - last < SHORT_NANOS) {
        stretch = Math.min(stretch * 4, LONGEST_STRETCH);
      }
      last = now;
      before = floor;
    }
  }

  /** The unfinished jobs of a keyed group, if there are few; null if not. */
  private Object fewIn(Connection connection, Optional<Group> group) throws SQLException {
    if (group.isEmpty() || group.get().equals(group.get().plain())) {
      return null;
    }
    return database.one(connection, FEW_IN, row -> row.getArray(1), group.get().toString(), FEW);
  }

  static UUID requireCursor(String cursor) {
    try {
      return UUID.fromString(cursor);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "'" + cursor + "' is not a cursor; use what the page before said.", e);
    }
  }
}
