package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** A store on a pool that belongs to the application: what it takes, and how it gives it back. */
class OwnersPoolIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Task<Integer> TASK =
      Task.named("shared", Integer.class).maxConcurrent(3).build();
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private PostgresFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }

  /** A pool of 3 answered none of 12 requests, and of a pool of 10 nine connections were kept. */
  @ParameterizedTest
  @ValueSource(ints = {3, 10})
  void busyWorker_everyRequestOfTheOwnerIsAnswered(int size) throws Exception {
    AtomicInteger done = new AtomicInteger();
    ExecutorService requests = Executors.newFixedThreadPool(12);
    try (HikariDataSource pool = pool(size, Duration.ofSeconds(5));
        Sluice sluice = open(pool);
        Worker worker =
            sluice
                .worker()
                .concurrency(8)
                .handle(TASK, (n, job) -> done.incrementAndGet())
                .start()) {
      AtomicBoolean enough = new AtomicBoolean();
      Future<Integer> load = requests.submit(() -> submitUntil(enough, sluice));
      await().atMost(PATIENCE).until(() -> done.get() > 50);

      List<Future<Boolean>> answers = new ArrayList<>();
      for (int i = 0; i < 120; i++) {
        answers.add(requests.submit(() -> answer(pool)));
      }
      int answered = 0;
      for (Future<Boolean> answer : answers) {
        answered += answer.get() ? 1 : 0;
      }
      enough.set(true);

      assertThat(answered).as("of 120 requests").isEqualTo(120);
      int submitted = load.get();
      await().atMost(PATIENCE).until(() -> done.get() == submitted);
      await("all but the listening connection are back")
          .atMost(PATIENCE)
          .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 1);
    } finally {
      requests.shutdownNow();
    }
  }

  private static int submitUntil(AtomicBoolean enough, Sluice sluice) {
    int submitted = 0;
    while (!enough.get()) {
      sluice.submitAll(TASK, IntStream.range(0, 20).boxed().toList());
      submitted += 20;
    }
    return submitted;
  }

  private static boolean answer(DataSource pool) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      return statement.execute("SELECT pg_sleep(0.002)");
    } catch (SQLException e) {
      return false;
    }
  }

  @Test
  void ownerTakesEveryConnection_theLeaseIsKept() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    Duration lease = Duration.ofSeconds(2);
    try (HikariDataSource pool = pool(3, Duration.ofSeconds(1));
        Sluice sluice = open(pool);
        Worker worker =
            sluice
                .worker()
                .lease(lease)
                .handle(
                    TASK,
                    (n, job) -> {
                      started.countDown();
                      try {
                        end.await();
                      } catch (InterruptedException e) {
                        interrupted.set(true);
                        throw e;
                      }
                    })
                .start()) {
      String id = worker.id();
      sluice.submit(TASK, 1);
      started.await();
      try (Connection one = pool.getConnection();
          Connection another = pool.getConnection()) {
        String later = text("SELECT clock_timestamp() + interval '5 s'");
        await("the lease reaches past two and a half of its lengths")
            .atMost(PATIENCE)
            .until(
                () ->
                    text("SELECT expires_at > '%s' FROM ${schema}.worker".formatted(later))
                        .equals("t"));
        assertThat(another.isClosed() || one.isClosed()).isFalse();
      }
      assertThat(worker.id()).isEqualTo(id);
      assertThat(interrupted).isFalse();
      end.countDown();
      await().atMost(PATIENCE).until(() -> sluice.jobs().counts().get(JobState.SUCCEEDED) == 1);
    }
  }

  /** As a data source gives it out that is bound to the transaction of the calling thread. */
  @Test
  void connectionWithinATransaction_isRefusedAndNotCommitted() throws Exception {
    try (HandoutPool pool = new HandoutPool(5, SERVER::openConnection);
        Sluice sluice = open(pool)) {
      Connection busy = pool.all().get(0);
      busy.setAutoCommit(false);
      try (Statement statement = busy.createStatement()) {
        statement.execute("CREATE TABLE %s.of_the_owner ()".formatted(fixture.namespace()));
      }

      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 5; i++) {
                  sluice.submit(TASK, 1);
                }
              })
          .isInstanceOf(StoreIncompatibleException.class)
          .hasMessageContainingAll("transaction", "submit(connection");
      assertThat(pool.all()).hasSize(5);
      for (Connection connection : pool.all()) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
        assertThat(text(connection, "SELECT to_regclass('${schema}.of_the_owner') IS NULL"))
            .isEqualTo("t");
      }
      // One of them is still within a transaction, in which nothing was written.
      for (int i = 0; i < 5; i++) {
        sluice.submit(TASK, 1);
      }
    }
  }

  /** The outcome was blamed for it, and the job recorded as failed. */
  @Test
  void connectionsLeftInFailedTransactions_jobThatSucceeds_isRecordedAsSucceeded()
      throws Exception {
    try (HandoutPool pool = new HandoutPool(8, SERVER::openConnection);
        Sluice sluice = open(pool);
        Worker worker = sluice.worker().handle(TASK, (n, job) -> leaveTwoBehind(pool)).start()) {
      sluice.submit(TASK, 1);

      String ended = "SELECT coalesce(max(state), 0) FROM ${schema}.finished_job";
      await().atMost(PATIENCE).until(() -> !text(ended).equals("0"));
      assertThat(text(ended)).as("how it ended (3 = succeeded)").isEqualTo("3");
      for (Connection connection : pool.all()) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }
  }

  /** Of those that are lent next, the first and the fourth are in failed transactions. */
  private static void leaveTwoBehind(HandoutPool pool) throws SQLException {
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      all.add(pool.getConnection());
    }
    for (Connection connection : List.of(all.get(0), all.get(3))) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        assertThatThrownBy(() -> statement.execute("SELECT 1 / 0"))
            .isInstanceOf(SQLException.class);
      }
    }
    for (Connection connection : all) {
      connection.close();
    }
  }

  @Test
  void connections_goBackAsTheyCame() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    try (HandoutPool pool =
        new HandoutPool(
            3,
            () -> {
              Connection connection = SERVER.openConnection();
              connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
              connection.setAutoCommit(false);
              try (Statement statement = connection.createStatement()) {
                statement.execute("SET search_path = pg_catalog");
                statement.execute("SET application_name = 'the owner'");
              }
              connection.commit();
              return connection;
            })) {
      try (Sluice sluice = open(pool);
          Worker worker = sluice.worker().handle(TASK, (n, job) -> done.countDown()).start()) {
        sluice.submit(TASK, 1, o -> o.onLimit(OnLimit.REJECT));
        done.await();
        assertThat(sluice.jobs().counts()).isNotEmpty();
      }

      List<Connection> all = pool.all();
      assertThat(all).hasSize(3);
      for (Connection connection : all) {
        assertThat(connection.getAutoCommit()).isFalse();
        assertThat(
                text(
                    connection,
                    """
                    SELECT current_setting('transaction_isolation'),
                           current_setting('default_transaction_isolation'),
                           current_setting('search_path'),
                           current_setting('application_name'),
                           (SELECT count(*) FROM pg_listening_channels())
                    """))
            .isEqualTo("serializable, serializable, pg_catalog, the owner, 0");
      }
    }
  }

  @Test
  void smallPool_isWarnedOfAtOpen() {
    assertThat(warningsAtOpen(4))
        .singleElement()
        .asString()
        .contains("4 connections")
        .contains("5 or more");
    assertThat(warningsAtOpen(5)).isEmpty();
  }

  private List<String> warningsAtOpen(int size) {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice.postgres");
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.addAppender(appender);
    try (HikariDataSource pool = pool(size, Duration.ofSeconds(5));
        Sluice sluice = open(pool)) {
      assertThat(sluice.jobs().counts()).isNotEmpty();
    } finally {
      logger.detachAppender(appender);
    }
    return List.copyOf(appender.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.contains("pool"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void tinyPool_jobsStillRun(int size) throws Exception {
    CountDownLatch done = new CountDownLatch(20);
    try (HikariDataSource pool = pool(size, Duration.ofSeconds(5));
        Sluice sluice = open(pool);
        Worker worker = sluice.worker().handle(TASK, (n, job) -> done.countDown()).start()) {
      for (int i = 0; i < 20; i++) {
        sluice.submit(TASK, i);
        assertThat(answer(pool)).isTrue();
      }
      done.await();
    }
  }

  @Test
  void dataSourceWithoutAPool_isNotConnectedToForEachCall() {
    AtomicInteger opened = new AtomicInteger();
    PostgresUrl url = PostgresUrl.parse(SERVER.url());
    PGSimpleDataSource plain =
        new PGSimpleDataSource() {
          private static final long serialVersionUID = 1;

          @Override
          public Connection getConnection(String user, String password) throws SQLException {
            opened.incrementAndGet();
            return super.getConnection(user, password);
          }
        };
    plain.setUrl(url.jdbcUrl());
    plain.setUser(url.user());
    plain.setPassword(url.password());
    try (Sluice sluice = open(plain)) {
      for (int i = 0; i < 100; i++) {
        sluice.submit(TASK, i);
      }
    }
    assertThat(opened).hasValueBetween(1, 10);
  }

  private Sluice open(DataSource dataSource) {
    return Sluice.open(SluiceOptions.dataSource(dataSource).schema(fixture.namespace()));
  }

  private static HikariDataSource pool(int size, Duration timeout) {
    PostgresUrl url = PostgresUrl.parse(SERVER.url());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url.jdbcUrl());
    config.setUsername(url.user());
    config.setPassword(url.password());
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(timeout.toMillis());
    return new HikariDataSource(config);
  }

  private String text(String sql) throws SQLException {
    try (Connection connection = fixture.openConnection()) {
      return text(connection, sql);
    }
  }

  private String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.replace("${schema}", fixture.namespace()))) {
      row.next();
      List<String> columns = new ArrayList<>();
      for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
        columns.add(row.getString(i));
      }
      return String.join(", ", columns);
    }
  }
}
