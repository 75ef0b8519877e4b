package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Submission;
import dev.sluice.Task;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Submits on connections that cannot carry one: the message says what is wrong with them. */
class CallersConnectionIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Task<Integer> TASK = Task.named("in_order", Integer.class).build();

  private PostgresFixture fixture;
  private Sluice sluice;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
    sluice = fixture.open();
  }

  @AfterEach
  void closeFixture() {
    sluice.close();
    fixture.close();
  }

  private void isRefused(Connection connection, String... words) {
    assertThatThrownBy(() -> sluice.submit(connection, TASK, 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll(words);
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
  }

  private Connection transaction() throws SQLException {
    Connection connection = fixture.openConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void abortedTransaction_isNamed() throws Exception {
    try (Connection connection = transaction();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);

      isRefused(connection, "aborted", "roll it back");
    }
  }

  @Test
  void readOnlyTransaction_isNamed_andGoesOn() throws Exception {
    try (Connection connection = transaction();
        Statement statement = connection.createStatement()) {
      connection.setReadOnly(true);

      isRefused(connection, "read-only", "may write");
      assertThat(statement.execute("SELECT 1")).isTrue();
    }
  }

  /** The transaction cannot see that the number was replaced meanwhile. */
  @Test
  void forgottenNumberUnderRepeatableRead_isReplaced() throws Exception {
    Group key = TASK.group().key("k");
    Submission finished = sluice.submit(TASK, 1, o -> o.concurrencyKey("k").concurrencyLimit(1));
    assertThat(sluice.jobs().cancel(finished.id())).isTrue();
    try (Connection connection = snapshot()) {
      sluice.submit(connection, TASK, 2, o -> o.concurrencyKey("k").concurrencyLimit(2));
      connection.commit();
    }
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 1L);
    assertThat(sluice.concurrency().status(key).limit()).hasValue(2);
  }

  /** Its snapshot is from before the job finished: neither table would show the job. */
  @Test
  void chosenIdUnderRepeatableRead_isRefused() throws Exception {
    UUID id = UUID.randomUUID();
    sluice.submit(TASK, 1, o -> o.id(id));
    try (Connection connection = snapshot()) {
      assertThat(sluice.jobs().cancel(id)).isTrue();

      assertThatThrownBy(() -> sluice.submit(connection, TASK, 1, o -> o.id(id)))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContainingAll(
              "id", "READ COMMITTED", "REPEATABLE READ", "before its transaction begins");
      connection.commit();
    }
    assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, 0L);
    assertThat(sluice.submit(TASK, 1, o -> o.id(id))).isEqualTo(new Submission.Duplicate(id));
  }

  @Test
  void dedupeKeyOfAFinishedJobUnderRepeatableRead_isFree() throws Exception {
    Submission first = sluice.submit(TASK, 1, o -> o.dedupeKey("d"));
    try (Connection connection = snapshot()) {
      assertThat(sluice.jobs().cancel(first.id())).isTrue();

      Submission second = sluice.submit(connection, TASK, 1, o -> o.dedupeKey("d"));
      connection.commit();
      assertThat(second).isInstanceOf(Submission.Submitted.class);
      assertThat(sluice.submit(TASK, 1, o -> o.dedupeKey("d")))
          .isEqualTo(new Submission.Duplicate(second.id()));
    }
  }

  /** A transaction under REPEATABLE READ that sees what is stored now. */
  private Connection snapshot() throws SQLException {
    Connection connection = fixture.openConnection();
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT count(*) FROM %s.job".formatted(fixture.namespace()));
    }
    return connection;
  }

  @Test
  void closedConnection_isNamed() throws Exception {
    Connection connection = transaction();
    connection.close();

    isRefused(connection, "closed");
  }

  @Test
  void otherDatabaseWithoutTheSchema_isNamed() throws Exception {
    try (Connection connection = otherDatabase()) {
      isRefused(connection, "template1", "'" + fixture.namespace() + "'", "without a connection");
    }
  }

  @Test
  void otherStoreUnderTheSameName_isNamed_andGetsNoJob() throws Exception {
    // Of the same name, in the same server: what a restore under another name looks like.
    String hidden = fixture.namespace() + "_hidden";
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SCHEMA " + fixture.namespace() + " RENAME TO " + hidden);
      try (Sluice other = fixture.open()) {
        connection.setAutoCommit(false);
        isNotOurs(connection);
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(other.jobs().counts()).containsEntry(JobState.READY, 0L);
      } finally {
        statement.execute("DROP SCHEMA " + hidden + " CASCADE");
      }
    }
  }

  private void isNotOurs(Connection connection) {
    assertThatThrownBy(() -> sluice.submit(connection, TASK, 1))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContainingAll("another store", "'" + fixture.namespace() + "'");
  }

  @Test
  void connectionToAnotherProduct_isNamed() {
    DatabaseMetaData metaData =
        (DatabaseMetaData)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, arguments) -> "Elsewhere");
    Connection connection =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getMetaData" -> metaData;
                      case "getAutoCommit", "isClosed" -> false;
                      default -> throw new SQLException("unexpected token", "42000");
                    });

    isRefused(connection, "Elsewhere", "PostgreSQL");
  }

  /** A pool of read-only connections, as for a replica. */
  @Test
  void readOnlyDataSource_isNamedAtOpen() throws Exception {
    try (HandoutPool pool =
        new HandoutPool(
            5,
            () -> {
              Connection connection = SERVER.openConnection();
              connection.setReadOnly(true);
              return connection;
            })) {
      assertThatThrownBy(
              () ->
                  Sluice.open(SluiceOptions.dataSource(pool).schema(fixture.namespace() + "_new")))
          .hasMessageContainingAll("read-only", "may write");
    }
  }

  private static Connection otherDatabase() throws SQLException {
    PostgresUrl url =
        PostgresUrl.parse(SERVER.url().replaceFirst("/[^/?]+(\\?|$)", "/template1$1"));
    Connection connection =
        url.user() == null
            ? java.sql.DriverManager.getConnection(url.jdbcUrl())
            : java.sql.DriverManager.getConnection(url.jdbcUrl(), url.user(), url.password());
    connection.setAutoCommit(false);
    return connection;
  }
}
