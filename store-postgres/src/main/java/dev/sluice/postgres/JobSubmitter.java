package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.Submission;
import dev.sluice.spi.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Submits jobs: sees to the limits they bring along, has them stored ({@link JobWriter}), and wakes
 * workers. Jobs that may be rejected are checked one by one.
 */
final class JobSubmitter {
  private static final String PROPOSE_LIMITS = "SELECT ${schema}.propose_limits(?, ?)";
  private static final String LOCK_FOR_REJECT = "SELECT ${schema}.lock_for_reject(?, ?)";
  private static final String FULL_GROUP =
      "SELECT group_name, max, pending FROM ${schema}.full_group(?, ?)";
  private static final String PROMOTE_DUE = "SELECT ${schema}.promote_due(1000)";
  private static final String EXISTING =
      """
      SELECT id FROM ${schema}.job WHERE task = ? AND dedupe_key = ?
      UNION ALL
      SELECT id FROM ${schema}.job WHERE id = ?
      UNION ALL
      SELECT id FROM ${schema}.finished_job WHERE id = ?
      """;
  private static final int REMEMBERED_PROPOSALS = 100_000;
  private static final int PROPOSALS_AT_ONCE = 50;
  private static final int MAX_TRIES = 10;

  /** So many jobs of a task in one submit are a crowd. */
  private static final int CROWD = 1_000;

  private final Database database;
  private final UUID storeId;
  private final Waker waker;
  private final GroupKeeper keeper;
  private final JobWriter writer;

  /**
   * Groups whose submit-side limit was set from here. Forgetting one only costs a look; the job
   * itself carries its limit too.
   */
  private final Set<String> proposed = ConcurrentHashMap.newKeySet();

  JobSubmitter(Database database, UUID storeId, Waker waker, GroupKeeper keeper) {
    this.database = database;
    this.storeId = storeId;
    this.keeper = keeper;
    this.waker = waker;
    this.writer = new JobWriter(database);
  }

  List<Submission> submit(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    proposeLimits(jobs);
    makeCountable(jobs);
    keepCrowdsApart(jobs);
    JobWriter.Written written = storeAll(jobs);
    // A worker that began to wait while the jobs were stored was not seen then, nor did it see
    // them. It is seen after the commit.
    if (!written.woke()) {
      Map<Waker.News, Integer> news = new HashMap<>();
      for (NewJob job : jobs) {
        Waker.News kind = new Waker.News(Group.of(job.task()).toString(), job.place().queue());
        news.merge(kind, workersFor(job), Waker::plus);
      }
      waker.wakeFor(news);
    }
    return written.submissions();
  }

  /**
   * The number on record for a key is forgotten, and these jobs, of which none is stored, bring
   * another one along or none.
   */
  private static final class ForgottenLimitException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<NewJob> jobs;

    ForgottenLimitException(List<NewJob> jobs) {
      this.jobs = jobs;
    }
  }

  /**
   * Forgotten numbers are replaced before the transaction begins anew: that takes a connection of
   * its own, and locks. If they keep coming, the first of them is as good as any.
   */
  private JobWriter.Written storeAll(List<NewJob> jobs) {
    for (int tries = 1; ; tries++) {
      boolean last = tries == MAX_TRIES;
      Consumer<List<NewJob>> onForgotten =
          some -> {
            if (!last) {
              throw new ForgottenLimitException(some);
            }
          };
      try {
        return jobs.size() == 1 && !mayBeRejected(jobs.get(0))
            ? database.call(connection -> writer.write(connection, jobs, onForgotten, true))
            : database.inTransaction(
                connection -> new JobWriter.Written(store(connection, jobs, onForgotten), false));
      } catch (ForgottenLimitException e) {
        replaceForgotten(e.jobs);
      }
    }
  }

  List<Submission> submit(Connection connection, List<NewJob> jobs) {
    CallersTransaction transaction = new CallersTransaction(database, storeId, connection);
    List<NewJob> rejectable = rejectable(jobs);
    if (!rejectable.isEmpty()) {
      transaction.requireReadCommitted("OnLimit.REJECT", "the count could be stale");
    }
    if (jobs.stream().anyMatch(job -> job.identity().explicit())) {
      transaction.requireReadCommitted(
          "A job with an id of your choice",
          "a job of that id that has finished meanwhile could run again");
    }
    // Outside the caller's transaction: a limit is not part of it, and would hold up others until
    // it ends. Jobs that wait bring their limits along; the claim sets them.
    proposeLimits(rejectable);
    makeCountable(rejectable);
    // A forgotten number is replaced outside of it as well. Whether the transaction can see that
    // (under REPEATABLE READ it cannot) is no matter: the claim does.
    return transaction.run(on -> store(on, jobs, this::replaceForgotten));
  }

  /** One can run it; when a job is due that is not yet, everyone should know. */
  private static int workersFor(NewJob job) {
    NewJob.Timing timing = job.timing();
    return timing.runAt().isEmpty() && timing.delay().isZero() ? 1 : Waker.ALL;
  }

  /**
   * What is pending in the groups of jobs that may be rejected is counted: jobs that are due are
   * made ready for that, and limited tasks get lanes. In transactions of their own: in the caller's
   * the jobs would stay locked, and start late, for as long as that lasts.
   */
  private void makeCountable(List<NewJob> jobs) {
    List<NewJob> rejectable = rejectable(jobs);
    if (!rejectable.isEmpty()) {
      database.run(PROMOTE_DUE);
      keeper.makeCountable(rejectable.stream().flatMap(JobSubmitter::groupsOf).distinct().toList());
    }
  }

  /**
   * Many jobs of a task whose group is full go to a lane of their own at once, so that they are
   * never in front of others.
   */
  private void keepCrowdsApart(List<NewJob> jobs) {
    if (jobs.size() < CROWD) {
      return;
    }
    Map<String, Integer> sizes = new HashMap<>();
    jobs.forEach(job -> sizes.merge(job.task(), 1, Integer::sum));
    sizes.values().removeIf(size -> size < CROWD);
    if (!sizes.isEmpty()) {
      keeper.giveLanesToCrowds(
          sizes.keySet().stream()
              .map(task -> Group.of(task).toString())
              .collect(Collectors.toSet()));
    }
  }

  private void proposeLimits(List<NewJob> jobs) {
    // A limit that decides about this very submit must be there now, not just have been there.
    Map<String, Integer> proposals =
        limitsOf(
            jobs.stream()
                .filter(job -> mayBeRejected(job) || !proposed.contains(limitedGroup(job)))
                .toList());
    if (proposals.isEmpty()) {
      return;
    }
    propose(proposals);
    if (proposed.size() > REMEMBERED_PROPOSALS) {
      proposed.clear();
    }
    proposed.addAll(proposals.keySet());
  }

  private static String limitedGroup(NewJob job) {
    return job.concurrency().limited().map(Group::toString).orElse("");
  }

  /** The limits that jobs bring along, by group: of each the first. */
  private static Map<String, Integer> limitsOf(List<NewJob> jobs) {
    Map<String, Integer> limits = new LinkedHashMap<>();
    for (NewJob job : jobs) {
      if (job.concurrency().limited().isPresent()) {
        limits.putIfAbsent(limitedGroup(job), job.concurrency().limit().orElseThrow());
      }
    }
    return limits;
  }

  /** A number that is forgotten does not apply to jobs that bring none along either. */
  private void replaceForgotten(List<NewJob> jobs) {
    Map<String, Integer> limits = limitsOf(jobs);
    jobs.stream()
        .flatMap(job -> job.concurrency().groups().stream())
        .forEach(group -> limits.putIfAbsent(group.toString(), null));
    propose(limits);
  }

  /**
   * Sets submit-side limits where their groups have none (null: only has a forgotten one removed),
   * a few in one transaction: each is a lock until the commit, and the server has room for a
   * limited number of them.
   */
  void propose(Map<String, Integer> limits) {
    List<String> groups = List.copyOf(limits.keySet());
    for (int from = 0; from < groups.size(); from += PROPOSALS_AT_ONCE) {
      List<String> few = groups.subList(from, Math.min(from + PROPOSALS_AT_ONCE, groups.size()));
      database.run(PROPOSE_LIMITS, SqlArray.TEXT.of(few), SqlArray.INT4.of(few, limits::get));
    }
  }

  private static boolean mayBeRejected(NewJob job) {
    return job.concurrency().onLimit() == OnLimit.REJECT;
  }

  private static List<NewJob> rejectable(List<NewJob> jobs) {
    return jobs.stream().filter(JobSubmitter::mayBeRejected).toList();
  }

  private List<Submission> store(
      Connection connection, List<NewJob> jobs, Consumer<List<NewJob>> onForgotten)
      throws SQLException {
    List<NewJob> rejectable = rejectable(jobs);
    if (rejectable.isEmpty()) {
      return writer.write(connection, jobs, onForgotten, false).submissions();
    }
    // All of them first: submits that lock some, store a job, and lock more, may wait in a circle.
    if (lockForReject(connection, rejectable)) {
      onForgotten.accept(rejectable);
    }
    List<Submission> submissions = new ArrayList<>();
    for (NewJob job : jobs) {
      Optional<Submission> obstacle =
          mayBeRejected(job) ? obstacle(connection, job) : Optional.empty();
      submissions.add(
          obstacle.isPresent()
              ? obstacle.get()
              : writer.write(connection, List.of(job), onForgotten, false).submissions().get(0));
    }
    return submissions;
  }

  private static Stream<String> groupsOf(NewJob job) {
    return Stream.concat(Stream.of(Group.of(job.task())), job.concurrency().groups().stream())
        .map(Group::toString);
  }

  /** Locks the limited groups of jobs; true if a number they bring along is not on record. */
  private boolean lockForReject(Connection connection, List<NewJob> jobs) throws SQLException {
    return database.one(
        connection, LOCK_FOR_REJECT, row -> row.getBoolean(1), groupsAndLimits(jobs));
  }

  /** The groups of jobs, and beside each the number that the jobs bring along for it. */
  private static Object[] groupsAndLimits(List<NewJob> jobs) {
    Map<String, Integer> limits = limitsOf(jobs);
    List<String> groups = jobs.stream().flatMap(JobSubmitter::groupsOf).distinct().toList();
    return new Object[] {SqlArray.TEXT.of(groups), SqlArray.INT4.of(groups, limits::get)};
  }

  /**
   * What stands in the way of a job that wants no waiting: a full group, or a job it duplicates;
   * empty = nothing.
   */
  private Optional<Submission> obstacle(Connection connection, NewJob job) throws SQLException {
    // Again: a group may have got its first limit, and a number may have been put on record again.
    lockForReject(connection, List.of(job));
    // A duplicate is one whether there is room or not: it asks for none.
    Optional<Submission> duplicate =
        database.first(
            connection,
            EXISTING,
            row -> new Submission.Duplicate(row.getObject(1, UUID.class)),
            Group.of(job.task()).toString(),
            job.identity().dedupeKey().orElse(null),
            job.identity().id(),
            job.identity().id());
    if (duplicate.isPresent()) {
      return duplicate;
    }
    return database.first(
        connection,
        FULL_GROUP,
        row -> new Submission.Rejected(Group.parse(row.getString(1)), row.getInt(2), row.getInt(3)),
        groupsAndLimits(List.of(job)));
  }
}
