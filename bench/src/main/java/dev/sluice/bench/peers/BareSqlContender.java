package dev.sluice.bench.peers;

import dev.sluice.bench.server.CpuClock;
import dev.sluice.bench.server.Endpoint;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The ceiling: the claim and the completion written by hand on a table that has nothing else, in a
 * loop on each of a few connections, with no handlers, leases or limits around them.
 */
final class BareSqlContender implements Contender {
  private static final int CONNECTIONS = 4;
  private static final int BATCH = 200;
  private static final int JOBS = 100_000;

  private static final String SUBMIT =
      """
      INSERT INTO job (id, task, state, priority, run_at, payload)
      SELECT gen_random_uuid(), 'no_op', 1, 0, clock_timestamp(), '0'
      FROM generate_series(1, %d)
      """;

  private static final String CLAIM =
      """
      WITH next AS (
        SELECT id
        FROM job
        WHERE state = 1
        ORDER BY priority, run_at, id
        LIMIT ?
        FOR UPDATE SKIP LOCKED
      )
      UPDATE job
      SET state = 2
      FROM next
      WHERE job.id = next.id
      RETURNING job.id, job.payload
      """;

  private static final String COMPLETE =
      """
      WITH done AS (
        DELETE FROM job
        WHERE id = ANY (?)
        RETURNING id, task, priority, run_at, payload
      )
      INSERT INTO finished_job (id, task, priority, run_at, payload, finished_at)
      SELECT id, task, priority, run_at, payload, clock_timestamp()
      FROM done
      """;

  private final Profile profile =
      Profile.unlimited("bare-sql", Profile.Role.CEILING, JOBS)
          .with("connections", CONNECTIONS)
          .with("batch", BATCH)
          .with("statements", "claim, then move to the history");

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public Timing run(Endpoint database, Workload workload) throws Exception {
    PeerDatabase.install(database, "bare-sql.sql");
    CpuClock server = CpuClock.of(database);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(SUBMIT.formatted(workload.jobs()));
      statement.execute("ANALYZE job");
    }
    List<Connection> connections = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(database.connect());
      }
      List<Callable<Integer>> loops =
          connections.stream().<Callable<Integer>>map(each -> () -> drain(each)).toList();
      CpuClock.Count spent = server.start();
      Stopwatch running = new Stopwatch();
      int jobs = sum(threads.invokeAll(loops));
      double runSeconds = running.seconds();
      return new Timing(jobs, OptionalDouble.empty(), runSeconds, 0, spent.stop(jobs));
    } finally {
      threads.shutdownNow();
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static int sum(List<Future<Integer>> parts)
      throws InterruptedException, ExecutionException {
    int sum = 0;
    for (Future<Integer> part : parts) {
      sum += part.get();
    }
    return sum;
  }

  /** Claims and completes until nothing is left; how many that were. */
  private static int drain(Connection connection) throws SQLException {
    try (PreparedStatement claim = connection.prepareStatement(CLAIM);
        PreparedStatement complete = connection.prepareStatement(COMPLETE)) {
      claim.setInt(1, BATCH);
      int jobs = 0;
      while (true) {
        List<UUID> claimed = claim(claim);
        if (claimed.isEmpty()) {
          return jobs;
        }
        Array ids = connection.createArrayOf("uuid", claimed.toArray());
        complete.setArray(1, ids);
        jobs += complete.executeUpdate();
      }
    }
  }

  private static List<UUID> claim(PreparedStatement claim) throws SQLException {
    List<UUID> claimed = new ArrayList<>();
    try (ResultSet rows = claim.executeQuery()) {
      while (rows.next()) {
        claimed.add(rows.getObject(1, UUID.class));
        rows.getString(2);
      }
    }
    return claimed;
  }
}
