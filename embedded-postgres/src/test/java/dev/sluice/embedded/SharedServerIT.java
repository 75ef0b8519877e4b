package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several JVMs on one server, and what happens when some of them are killed. */
class SharedServerIT {

  private static final Duration SECONDS = Duration.ofSeconds(15);

  @TempDir Path temporary;
  private Path directory;
  private ServerProcesses server;

  @BeforeEach
  void chooseDirectory() {
    directory = temporary.resolve("server");
    server = new ServerProcesses(directory);
  }

  @Test
  void join_firstUserKilled_secondNoticesNothing() throws Exception {
    try (UserProcess first = UserProcess.joined(directory);
        UserProcess second = UserProcess.joined(directory)) {
      second.ask("CREATE TABLE kept (n int)");
      long postmaster = server.postmaster().pid();

      first.kill();

      assertThat(second.ask("INSERT INTO kept VALUES (1)")).isEqualTo("ok");
      assertThat(server.postmaster().pid()).isEqualTo(postmaster);
    }
    assertThat(server.alive()).isEmpty();
  }

  @Test
  void close_firstUserLeaves_secondNoticesNothingAndStopsTheServerAtItsEnd() throws Exception {
    try (UserProcess first = UserProcess.joined(directory);
        UserProcess second = UserProcess.joined(directory)) {
      long postmaster = server.postmaster().pid();

      assertThat(first.ask("close")).isEqualTo("closed");
      assertThat(server.postmaster().pid()).isEqualTo(postmaster);
      assertThat(second.ask("SELECT 7")).isEqualTo("7");

      assertThat(second.ask("close")).isEqualTo("closed");
      assertThat(server.alive()).isEmpty();
      assertThat(directory.resolve("data/postmaster.pid")).doesNotExist();
    }
  }

  @Test
  void join_allUsersKilled_serverEndsWithinSeconds() throws Exception {
    try (UserProcess first = UserProcess.joined(directory);
        UserProcess second = UserProcess.joined(directory)) {
      List<ProcessHandle> processes = server.all();
      first.kill();
      second.kill();
      await().atMost(SECONDS).until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }
    assertThat(Files.readString(directory.resolve("postgres.log")))
        .contains("fast shutdown request");
  }

  @Test
  void join_everythingKilled_committedRowSurvives() throws Exception {
    int port;
    try (UserProcess user = UserProcess.start(directory)) {
      port = user.awaitJoined();
      user.ask("CREATE TABLE kept (n int)");
      user.ask("INSERT INTO kept VALUES (42)");
      List<ProcessHandle> processes = server.all();
      user.kill();
      processes.forEach(ProcessHandle::destroyForcibly);
    }
    assertThat(directory.resolve("data/postmaster.pid")).exists();

    try (UserProcess user = UserProcess.start(directory)) {
      assertThat(user.awaitJoined()).isEqualTo(port);
      assertThat(user.ask("SELECT n FROM kept")).isEqualTo("42");
    }
    assertThat(Files.readString(directory.resolve("postgres.log")))
        .contains("automatic recovery in progress");
  }

  @Test
  void join_twoAtTheSameMoment_oneServer() throws Exception {
    try (UserProcess first = UserProcess.start(directory);
        UserProcess second = UserProcess.start(directory)) {
      assertThat(first.awaitJoined()).isEqualTo(second.awaitJoined());
      first.ask("CREATE TABLE kept (n int)");
      assertThat(second.ask("INSERT INTO kept VALUES (1)")).isEqualTo("ok");
    }
    assertThat(Files.readString(directory.resolve("postgres.log")).split("starting PostgreSQL"))
        .hasSize(2);
  }

  @Test
  void getConnection_supervisorKilled_bothUsersFindTheNewServer() throws Exception {
    try (UserProcess first = UserProcess.joined(directory);
        UserProcess second = UserProcess.joined(directory)) {
      ProcessHandle postmaster = server.postmaster();
      server.supervisor().destroyForcibly();
      await().atMost(SECONDS).until(() -> !postmaster.isAlive());

      assertThat(first.ask("SELECT 1")).isEqualTo("1");
      assertThat(second.ask("SELECT 2")).isEqualTo("2");
      assertThat(server.postmaster().pid()).isNotEqualTo(postmaster.pid());
    }
    assertThat(server.alive()).isEmpty();
  }

  @Test
  void join_killedWhileStarting_nextUserStarts() throws Exception {
    try (UserProcess first = UserProcess.start(directory)) {
      await().atMost(SECONDS).until(() -> Files.exists(directory.resolve("start.lock")));
      first.kill();
    }
    try (UserProcess second = UserProcess.joined(directory)) {
      assertThat(second.ask("SELECT 1")).isEqualTo("1");
    }
    assertThat(server.alive()).isEmpty();
  }
}
