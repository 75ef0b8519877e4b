package dev.sluice.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One server directory as this JVM sees it, shared by all its users in the JVM.
 *
 * <h2>The protocol between processes</h2>
 *
 * <p>The server belongs to no process that uses it. Its parent is a {@linkplain Supervisor shell}
 * in a session of its own. Three files in the directory carry everything the processes know of each
 * other, and the kernel keeps all three honest when one of them is killed:
 *
 * <ul>
 *   <li>{@code start.lock}, locked by whoever starts or stops ({@link StartLock}). One at a time.
 *   <li>{@code users}, a FIFO that each user holds open for its life ({@link UserSeat}). The
 *       supervisor reads from it. Nobody writes; the read returns when the last user is gone.
 *   <li>{@code server.lock}, locked on a descriptor that the postmaster inherits, and every backend
 *       from it. It is free exactly when no process of the server is left, so no process numbers
 *       need to be believed.
 * </ul>
 *
 * <pre>
 *              start.lock held by a user
 *   absent ----------------------------------> starting ----&gt; running
 *     ^     users: seat taken before looking                     |
 *     |                                                          | users: no seat left, or
 *     +-------- server.lock free ---------- stopping &lt;-----------+ supervisor killed
 * </pre>
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A server is launched only under {@code start.lock} with {@code server.lock} free, and the
 *       supervisor takes {@code server.lock} before it runs anything: never two servers on one data
 *       directory.
 *   <li>A user takes its seat <em>before</em> it looks for the server. From then on the supervisor
 *       cannot find the seats empty, so what the user finds running keeps running.
 *   <li>If the supervisor found them empty just before, it leaves the marker {@code stopping-…}
 *       before it sends the signal. The user looks for the marker after its first connection, and
 *       treats a marked server as gone.
 * </ol>
 *
 * <p>Who may die, and what follows:
 *
 * <ul>
 *   <li>A user, however it dies: the kernel frees its seat and its lock. The others notice nothing,
 *       even if it was the one that started the server. The last one's end stops the server.
 *   <li>A user in the middle of a start: the launched server comes up, finds no seats and stops, or
 *       is found by the next user, who waited for the lock.
 *   <li>The supervisor: the kernel sends the postmaster SIGINT, a fast shutdown. The postmaster:
 *       its backends notice and end. Either way a user's next connection fails, and the user starts
 *       the server again, on the same port while it is free.
 *   <li>Everything at once: all locks are free. The next user clears what is left and starts;
 *       PostgreSQL recovers from its log.
 * </ul>
 *
 * <p>A seat is released with a question: was it the last? Then the leaving process keeps {@code
 * start.lock} until the server is gone, so that {@code close()} means stopped, and a process that
 * joins at that moment waits instead of meeting a server on its way out.
 */
final class SharedServer {

  static final Duration START_LIMIT = Duration.ofMinutes(2);
  static final Duration STOP_LIMIT = Duration.ofMinutes(1);

  private static final Map<Path, SharedServer> IN_THIS_JVM = new HashMap<>();

  private final ServerFiles files;
  private final Supervisor supervisor;
  private final ServerLauncher launcher;

  /** Guarded by the class's map, like the map itself. */
  private int handles;

  /** Guarded by this. Null before the first and after the last handle. */
  private UserSeat seat;

  private boolean left;

  private SharedServer(Path directory, EmbeddedPostgresOptions options, Privileges privileges) {
    this.files = new ServerFiles(directory);
    this.supervisor = new Supervisor(files);
    this.launcher = new ServerLauncher(files, supervisor, options, privileges);
  }

  static SharedServer join(Path directory, EmbeddedPostgresOptions options, Privileges privileges) {
    Privileges.requireOwn(directory, new ServerFiles(directory).data());
    Path real = DatabaseCluster.createDirectory(directory, privileges);
    SharedServer server;
    synchronized (IN_THIS_JVM) {
      server = IN_THIS_JVM.computeIfAbsent(real, d -> new SharedServer(d, options, privileges));
      server.handles++;
    }
    try {
      server.ensureRunning();
      return server;
    } catch (RuntimeException | Error e) {
      try {
        server.leave();
      } catch (RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  ServerFiles files() {
    return files;
  }

  int port() {
    return state()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "The port of the embedded PostgreSQL is missing from " + files.state()))
        .port();
  }

  Credentials credentials() {
    return Credentials.read(files.password());
  }

  /**
   * Returns when the server has answered; starts it if it is not there.
   *
   * @throws IllegalStateException if it does not answer within {@link #START_LIMIT}
   */
  synchronized void ensureRunning() {
    if (left) {
      throw new IllegalStateException(
          "The embedded PostgreSQL in " + files.directory() + " was closed by this process.");
    }
    try (StartLock ignored = StartLock.acquire(files.startLock(), StartLock.DEFAULT_PATIENCE)) {
      if (seat == null) {
        seat = UserSeat.take(files.users());
      }
      Patience patience = new Patience(START_LIMIT);
      while (supervisor.serverIsAlive()) {
        if (answers()) {
          return;
        }
        if (patience.isOver()) {
          throw new IllegalStateException(
              "The server in %s is there but takes no connection. See %s. Its last lines:%n%s"
                  .formatted(files.directory(), files.log(), new ServerLog(files).tail()));
        }
        patience.pause();
      }
      launcher.launch(state());
    }
  }

  /** Gives up one handle; the last one of the last process stops the server before it returns. */
  void leave() {
    synchronized (IN_THIS_JVM) {
      if (--handles > 0) {
        return;
      }
      IN_THIS_JVM.remove(files.directory(), this);
    }
    // An interrupt must not keep us from leaving; it is handed on afterwards.
    boolean interrupted = Thread.interrupted();
    try {
      leaveSeat();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized void leaveSeat() {
    left = true;
    if (seat == null) {
      return;
    }
    if (!Files.isDirectory(files.directory())) {
      seat.leave(); // The user deleted everything; the supervisor sees our end and stops the rest.
      return;
    }
    try (StartLock ignored = StartLock.acquire(files.startLock(), StartLock.DEFAULT_PATIENCE)) {
      boolean last = seat.leave();
      seat = null;
      if (last && !supervisor.awaitServerGone(STOP_LIMIT)) {
        throw new IllegalStateException(
            "The server in %s has not stopped within %d s. See %s."
                .formatted(files.directory(), STOP_LIMIT.toSeconds(), files.log()));
      }
    } finally {
      if (seat != null) {
        seat.leave();
        seat = null;
      }
    }
  }

  private boolean answers() {
    Optional<ServerState> state = state();
    if (state.isEmpty() || !Files.exists(files.data())) {
      return false;
    }
    try (Connection ignored = ServerConnections.open(state.get().port(), credentials())) {
      return !Files.exists(files.stopping(state.get().start()));
    } catch (SQLException notYetOrNotOurs) {
      return false;
    }
  }

  private Optional<ServerState> state() {
    return ServerState.read(files.state());
  }
}
