package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The users a server can run as. Only root can become another user, so only root runs these. */
class PrivilegesIT {

  @TempDir Path temporary;

  @BeforeEach
  void openTheWay() throws IOException {
    assumeTrue(Privileges.currentUser() == 0, "needs root");
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void join_rootWithoutUserNamespaces_serverRunsAsNobody() throws Exception {
    Path directory = temporary.resolve("server");
    EmbeddedPostgresOptions options = EmbeddedPostgresOptions.defaults();
    ServerProcesses server = new ServerProcesses(directory);
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.join(directory, options, Privileges.AS_NOBODY)) {
      postgres.dataSource().getConnection().close();
      assertThat(Privileges.ownerOf(Path.of("/proc/" + server.postmaster().pid())))
          .isEqualTo(Privileges.AS_NOBODY.owner());
      ProcessHandle before = server.postmaster();
      server.supervisor().destroyForcibly();
      before.onExit().join();
      postgres.dataSource().getConnection().close();
    }
    assertThat(server.alive()).isEmpty();

    // The same data in a user namespace, as after a change of the container's settings.
    try (EmbeddedPostgres postgres = EmbeddedPostgres.join(directory, options)) {
      postgres.dataSource().getConnection().close();
    }
  }

  @Test
  void join_ordinaryUser_sharesAServerOfItsOwn() throws Exception {
    Path home = Files.createDirectory(temporary.resolve("home"));
    Privileges.AS_NOBODY.giveOwnership(home);
    Map<String, String> environment = Map.of("XDG_CACHE_HOME", home.resolve("cache").toString());
    String classPath = copyOfClassPath();
    List<String> asNobody = Privileges.AS_NOBODY.prefix();
    Path directory = home.resolve("server");
    try (UserProcess first = UserProcess.start(directory, asNobody, classPath, environment);
        UserProcess second = UserProcess.start(directory, asNobody, classPath, environment)) {
      assertThat(first.awaitJoined()).isEqualTo(second.awaitJoined());
      first.kill();
      assertThat(second.ask("SELECT 1")).isEqualTo("1");
      assertThat(second.ask("close")).isEqualTo("closed");
    }
    assertThat(new ServerProcesses(directory).alive()).isEmpty();
    assertThat(home.resolve("cache/sluice")).isDirectoryContaining("glob:**/postgres-*");
  }

  @Test
  void join_databaseOfAnotherUser_isRefusedAndLeftAlone() throws Exception {
    Path directory = Files.createDirectories(temporary.resolve("theirs"));
    Path data = Files.createDirectory(directory.resolve("data"));
    Privileges.AS_NOBODY.giveOwnership(directory);

    assertThatThrownBy(() -> EmbeddedPostgres.join(directory))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("belongs to the user with number " + Privileges.AS_NOBODY.owner());
    assertThat(Privileges.ownerOf(data)).isEqualTo(Privileges.AS_NOBODY.owner());
    assertThat(directory).isDirectoryNotContaining("glob:**/start.lock");
  }

  /** The class path where an ordinary user can read it. */
  private String copyOfClassPath() throws IOException {
    Path copies = Files.createDirectory(temporary.resolve("classes"));
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path copy = copies.resolve(entries.size() + ".jar");
      copyTree(Path.of(entry), copy);
      entries.add(copy.toString());
    }
    Command.of("chmod", "-R", "a+rX", copies.toString()).runOrThrow("Opening the class path");
    return String.join(File.pathSeparator, entries);
  }

  private static void copyTree(Path from, Path to) throws IOException {
    if (!Files.exists(from)) {
      return;
    }
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
