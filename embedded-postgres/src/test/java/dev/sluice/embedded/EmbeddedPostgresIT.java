package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One JVM and its server. */
class EmbeddedPostgresIT {

  private static final EmbeddedPostgresOptions DEFAULTS = EmbeddedPostgresOptions.defaults();

  @TempDir Path temporary;
  private Path directory;
  private ServerProcesses server;

  @BeforeEach
  void chooseDirectory() {
    directory = temporary.resolve("a directory with 'quotes'");
    server = new ServerProcesses(directory);
  }

  @Test
  void join_newDirectory_isDurableAndPrivate() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.join(directory)) {
      for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
        assertThat(query(postgres, "SHOW " + setting)).as(setting).isEqualTo("on");
      }
      assertThat(query(postgres, "SHOW data_checksums")).isEqualTo("on");
      assertThat(query(postgres, "SHOW unix_socket_directories")).isEmpty();
      assertThat(query(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(query(postgres, "SELECT upper('ä') || lower('Ö')")).isEqualTo("Äö");
      assertThat(
              query(
                  postgres,
                  "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'"))
          .isEqualTo("0");
      assertThat(otherAddressesThatAnswer(postgres.port())).isEmpty();

      Path passwordFile = directory.resolve("pgpass");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(passwordFile)))
          .isEqualTo("rw-------");
      String password = Credentials.read(passwordFile).password();
      assertThat(password).hasSize(32);
      assertThat(commandLines(server.all())).isNotEmpty().noneMatch(c -> c.contains(password));
      assertThat(Files.readString(directory.resolve("postgres.log"))).doesNotContain(password);
      assertThatThrownBy(() -> postgres.dataSource().getConnection("postgres", "wrong"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
      assertThat(postgres.jdbcUrl())
          .isEqualTo("jdbc:postgresql://127.0.0.1:" + postgres.port() + "/postgres");
    }
  }

  @Test
  void join_twiceInOneJvm_serverEndsWithTheSecondClose() throws Exception {
    EmbeddedPostgres first = EmbeddedPostgres.join(directory);
    EmbeddedPostgres second = EmbeddedPostgres.join(temporary.resolve("x/..").resolve(directory));
    int port = first.port();
    assertThat(second.port()).isEqualTo(port);

    first.close();
    first.close();
    assertThat(query(second, "SELECT 1")).isEqualTo("1");

    second.close();
    assertThat(server.alive()).isEmpty();
    assertThatThrownBy(() -> second.dataSource().getConnection())
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("was closed by this process");

    try (EmbeddedPostgres again = EmbeddedPostgres.join(directory)) {
      assertThat(again.port()).as("port of the second start").isEqualTo(port);
    }
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"));
        EmbeddedPostgres again = EmbeddedPostgres.join(directory)) {
      assertThat(again.port()).isNotEqualTo(taken.getLocalPort());
      assertThat(query(again, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void getConnection_postmasterKilled_startsItAgain() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.join(directory)) {
      int port = postgres.port();
      ProcessHandle postmaster = server.postmaster();
      postmaster.destroyForcibly();

      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
      assertThat(postgres.port()).isEqualTo(port);
      assertThat(server.postmaster().pid()).isNotEqualTo(postmaster.pid());
    }
    assertThat(server.alive()).isEmpty();
  }

  @Test
  void close_interruptedThread_stopsTheServerAndKeepsTheInterrupt() {
    EmbeddedPostgres postgres = EmbeddedPostgres.join(directory);
    Thread.currentThread().interrupt();
    postgres.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(server.alive()).isEmpty();
  }

  @Test
  void join_wrongSetting_failsWithTheLogAndLeavesNothingBehind() throws Exception {
    EmbeddedPostgresOptions wrong = DEFAULTS.withSetting("max_connections", "many");
    assertThatThrownBy(() -> EmbeddedPostgres.join(directory, wrong))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("invalid value for parameter \"max_connections\"")
        .hasMessageContaining(directory.resolve("postgres.log").toString());
    assertThat(server.alive()).isEmpty();

    EmbeddedPostgresOptions right = DEFAULTS.withSetting("max_connections", "17");
    try (EmbeddedPostgres postgres = EmbeddedPostgres.join(directory, right)) {
      assertThat(query(postgres, "SHOW max_connections")).isEqualTo("17");
    }
  }

  @Test
  void join_olderBinaries_workAndKeepTheirData() throws Exception {
    Path jar = Path.of(System.getProperty("sluice.test.old.binaries"));
    EmbeddedPostgresOptions old =
        DEFAULTS.withBinaries(
            URI.create("jar:" + jar.toUri() + "!/postgres-linux-x86_64.txz").toURL());
    try (EmbeddedPostgres postgres = EmbeddedPostgres.join(directory, old)) {
      assertThat(query(postgres, "SHOW server_version")).startsWith("14.");
      assertThat(query(postgres, "SHOW data_checksums")).isEqualTo("on");
    }
    assertThatThrownBy(() -> EmbeddedPostgres.join(directory))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("was written by PostgreSQL 14")
        .hasMessageContaining("PostgreSQL 18");
  }

  @Test
  void close_directoryDeletedBefore_serverEnds() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.join(directory);
    List<ProcessHandle> processes = server.all();
    BinariesCache.deleteTree(directory);
    postgres.close();
    await()
        .atMost(Duration.ofSeconds(15))
        .until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
  }

  @Test
  void join_dataDirectoryOfAnotherServer_isRefused() throws Exception {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("PG_VERSION"), "18");
    assertThatThrownBy(() -> EmbeddedPostgres.join(directory))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("data directory of another PostgreSQL");
  }

  private static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = postgres.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** Addresses of this host, apart from 127.0.0.1, where somebody accepts connections. */
  private static List<InetAddress> otherAddressesThatAnswer(int port) throws Exception {
    List<InetAddress> own =
        NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
    assertThat(own).anyMatch(Inet4Address.class::isInstance);
    return own.stream()
        .filter(address -> !address.getHostAddress().equals("127.0.0.1"))
        .filter(address -> answers(address, port))
        .toList();
  }

  private static boolean answers(InetAddress address, int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), 1_000);
      return true;
    } catch (IOException refused) {
      return false;
    }
  }

  private static List<String> commandLines(List<ProcessHandle> processes) throws Exception {
    List<String> lines = new ArrayList<>();
    for (ProcessHandle process : processes) {
      lines.add(Files.readString(Path.of("/proc/" + process.pid() + "/cmdline")));
    }
    return lines;
  }
}
