package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.Submission;
import dev.sluice.spi.NewJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Stores new jobs on a connection: one job with a value per column, several in one statement with
 * an array per column.
 */
final class JobWriter {
  private static final String SUBMIT =
      """
      SELECT CASE WHEN ord = 0 THEN 'forgotten' WHEN duplicate_of IS NULL THEN 'vanished' ELSE 'duplicate' END,
             duplicate_of,
             ord
      FROM ${schema}.submit(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;
  private static final String SUBMIT_ONE =
      """
      SELECT said, duplicate_of, 1
      FROM ${schema}.submit_one(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;
  private static final int MAX_TRIES = 10;

  private record Column(SqlArray type, Function<NewJob, Object> value) {}

  /** In the order of the parameters of both functions. */
  private static final List<Column> COLUMNS =
      List.of(
          new Column(SqlArray.UUID, job -> job.identity().id()),
          new Column(SqlArray.BOOL, job -> job.identity().explicit()),
          new Column(SqlArray.TEXT, job -> Group.of(job.task()).toString()),
          new Column(SqlArray.TEXT, job -> job.place().queue()),
          new Column(SqlArray.INT4, job -> job.place().priority()),
          new Column(
              SqlArray.TIMESTAMPTZ, job -> job.timing().runAt().map(Timestamp::from).orElse(null)),
          new Column(SqlArray.INT8, job -> job.timing().delay().toMillis()),
          new Column(
              SqlArray.INT8, job -> job.timing().timeout().map(Duration::toMillis).orElse(null)),
          new Column(SqlArray.TEXT, job -> job.identity().dedupeKey().orElse(null)),
          new Column(SqlArray.TEXT, JobWriter::groups),
          new Column(
              SqlArray.TEXT, job -> job.concurrency().limited().map(Group::toString).orElse(null)),
          new Column(SqlArray.INT4, job -> Database.orNull(job.concurrency().limit())),
          new Column(SqlArray.TEXT, NewJob::payload),
          new Column(
              SqlArray.UUID, job -> job.identity().run().map(NewJob.RunLink::id).orElse(null)),
          new Column(SqlArray.TEXT, job -> job.identity().trace().orElse(null)));

  private final Database database;

  JobWriter(Database database) {
    this.database = database;
  }

  /**
   * What the server says about some jobs, by their places among them. Those that are neither
   * duplicates nor vanished are stored; none is if a number on record is forgotten.
   */
  private static final class Answer {
    private boolean forgotten;
    private boolean woke;
    private final Map<Integer, UUID> duplicates = new HashMap<>();

    /** Not stored, because of jobs that have vanished since. */
    private final Set<Integer> vanished = new TreeSet<>();
  }

  /**
   * What came of some jobs.
   *
   * @param submissions of each
   * @param woke whether the commit wakes a worker for them, so that nothing else has to
   */
  record Written(List<Submission> submissions, boolean woke) {}

  /**
   * Stores jobs.
   *
   * @param onForgotten what to do about a forgotten number before these jobs are stored whatever is
   *     on record
   * @param wake whether this is a single job on a connection that commits each statement by itself,
   *     so that the commit can wake a waiting worker; else that is left to the caller
   */
  Written write(
      Connection connection, List<NewJob> jobs, Consumer<List<NewJob>> onForgotten, boolean wake)
      throws SQLException {
    boolean woke = false;
    List<Submission> submissions = new ArrayList<>();
    jobs.forEach(job -> submissions.add(new Submission.Submitted(job.identity().id())));
    List<Integer> open = IntStream.range(0, jobs.size()).boxed().toList();
    boolean anyway = false;
    // A job that collided with one that finished before it could be looked up is neither stored nor
    // a duplicate: again.
    for (int tries = 0; !open.isEmpty(); tries++) {
      if (tries == MAX_TRIES) {
        throw new SQLException(
            "jobs keep colliding with jobs that vanish", SqlErrors.SERIALIZATION_FAILURE);
      }
      List<Integer> batch = open;
      List<NewJob> some = batch.stream().map(jobs::get).toList();
      Answer answer = submit(connection, some, anyway, wake);
      if (answer.forgotten) {
        onForgotten.accept(some);
        anyway = true;
      } else {
        answer.duplicates.forEach(
            (place, of) -> submissions.set(batch.get(place), new Submission.Duplicate(of)));
        woke = answer.woke;
        open = answer.vanished.stream().map(batch::get).toList();
      }
    }
    return new Written(Collections.unmodifiableList(submissions), woke);
  }

  private Answer submit(Connection connection, List<NewJob> jobs, boolean anyway, boolean wake)
      throws SQLException {
    boolean one = jobs.size() == 1;
    Stream<Object> columns =
        COLUMNS.stream()
            .map(
                column ->
                    one ? column.value.apply(jobs.get(0)) : column.type.of(jobs, column.value));
    Stream<Object> flags = one ? Stream.of(anyway, wake) : Stream.of(anyway);
    Answer answer = new Answer();
    database.list(
        connection,
        one ? SUBMIT_ONE : SUBMIT,
        row -> {
          int place = row.getInt(3) - 1;
          switch (row.getString(1)) {
            case "duplicate" -> answer.duplicates.put(place, row.getObject(2, UUID.class));
            case "vanished" -> answer.vanished.add(place);
            case "forgotten" -> answer.forgotten = true;
            case "woke" -> answer.woke = true;
            default -> {} // stored
          }
          return null;
        },
        Stream.concat(columns, flags).toArray());
    return answer;
  }

  private static String groups(NewJob job) {
    return job.concurrency().groups().stream()
        .map(Group::toString)
        .collect(Collectors.joining("\n"));
  }
}
