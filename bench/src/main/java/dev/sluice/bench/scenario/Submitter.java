package dev.sluice.bench.scenario;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.bench.server.Endpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;

/** One way to submit jobs, for one thread. */
interface Submitter extends AutoCloseable {
  /** What is submitted. */
  Task<Integer> TASK = Task.named("submitted", Integer.class).build();

  /** Submits once, and says how many jobs that were. */
  int submit() throws SQLException;

  @Override
  default void close() throws SQLException {}

  /** Makes submitters, one for each thread. */
  interface Kind {
    Submitter open(Sluice sluice, Endpoint database) throws SQLException;
  }

  /** Job by job. */
  static Submitter single(Sluice sluice, Endpoint database) {
    return () -> {
      sluice.submit(TASK, 1);
      return 1;
    };
  }

  /** A thousand jobs at a time. */
  static Submitter batch(Sluice sluice, Endpoint database) {
    List<Integer> payloads = Collections.nCopies(1_000, 1);
    return () -> sluice.submitAll(TASK, payloads).size();
  }

  /** A job at a time, in a transaction that also writes a row of the application's. */
  static Submitter transactional(Sluice sluice, Endpoint database) throws SQLException {
    Connection connection = database.connect();
    String table = "purchase_" + Thread.currentThread().getId();
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE %s (id bigint)".formatted(table));
    }
    connection.setAutoCommit(false);
    PreparedStatement insert =
        connection.prepareStatement("INSERT INTO %s VALUES (1)".formatted(table));
    return new Submitter() {
      @Override
      public int submit() throws SQLException {
        insert.executeUpdate();
        sluice.submit(connection, TASK, 1);
        connection.commit();
        return 1;
      }

      @Override
      public void close() throws SQLException {
        connection.close();
      }
    };
  }
}
