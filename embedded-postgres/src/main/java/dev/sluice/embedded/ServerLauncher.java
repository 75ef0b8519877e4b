package dev.sluice.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts a server where there is none. Used under the {@link StartLock} only. */
final class ServerLauncher {

  private static final Logger LOG = LoggerFactory.getLogger(ServerLauncher.class);

  /** More than one, because a free port may be taken before the server gets to it. */
  private static final int TRIES = 3;

  private final ServerFiles files;
  private final Supervisor supervisor;
  private final EmbeddedPostgresOptions options;
  private final Privileges privileges;
  private final Ports ports = new Ports(new SecureRandom());

  ServerLauncher(
      ServerFiles files,
      Supervisor supervisor,
      EmbeddedPostgresOptions options,
      Privileges privileges) {
    this.files = files;
    this.supervisor = supervisor;
    this.options = options;
    this.privileges = privileges;
  }

  /**
   * Starts the server and waits until it answers.
   *
   * @param previous the state that the last start left behind
   * @throws IllegalStateException if it ends or stays silent, with the last lines of its log
   */
  void launch(Optional<ServerState> previous) {
    URL location = options.binaries().orElseGet(() -> Platform.current().binaries());
    Binaries binaries =
        BinariesCache.ofUser(System.getenv(), Privileges.currentUser())
            .find(new BinariesArchive(location), privileges);
    new DatabaseCluster(files, privileges).prepare(binaries);
    int port = previous.map(ServerState::port).filter(Ports::isFree).orElseGet(ports::choose);
    for (int i = 0; i < TRIES; i++) {
      if (start(port, binaries)) {
        LOG.info(
            "Started PostgreSQL {} in {} on port {}", binaries.version(), files.directory(), port);
        return;
      }
      if (Ports.isFree(port)) {
        break; // The port was not the trouble, so another one is no cure.
      }
      port = ports.choose();
    }
    throw new IllegalStateException(
        "PostgreSQL %s did not start in %s. See %s. Its last lines:%n%s"
            .formatted(
                binaries.version(), files.directory(), files.log(), new ServerLog(files).tail()));
  }

  private boolean start(int port, Binaries binaries) {
    removeMarkers();
    new ServerLog(files).turnOver();
    ServerState state = new ServerState(port, UUID.randomUUID().toString());
    state.write(files.state());
    Process process = supervisor.start(state, privileges.prefix(), command(port, binaries));
    Credentials credentials = Credentials.read(files.password());
    Patience patience = new Patience(SharedServer.START_LIMIT);
    while (process.isAlive() && !patience.isOver()) {
      try (Connection ignored = ServerConnections.open(port, credentials)) {
        return true;
      } catch (SQLException notYet) {
        patience.pause();
      }
    }
    process.destroy();
    return false;
  }

  private List<String> command(int port, Binaries binaries) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of(binaries.program("postgres"), "-D", files.data().toString()));
    words.addAll(List.of("-p", Integer.toString(port)));
    words.addAll(List.of("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="));
    words.addAll(List.of("-c", "log_checkpoints=off"));
    options
        .settings()
        .forEach(
            (name, value) -> {
              words.add("-c");
              words.add(name + "=" + value);
            });
    return words;
  }

  private void removeMarkers() {
    Path pattern = files.stopping("*").getFileName();
    try (DirectoryStream<Path> markers =
        Files.newDirectoryStream(files.directory(), pattern.toString())) {
      for (Path marker : markers) {
        Files.deleteIfExists(marker);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cleaning up " + files.directory() + " failed", e);
    }
  }
}
