package dev.sluice.embedded;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The shell process that is the server's parent, and belongs to none of its users.
 *
 * <p>It runs in a session of its own, so neither the end of the process that started it nor a
 * Ctrl-C at its terminal reaches it. If somebody kills the supervisor, the kernel sends the server
 * the signal for a fast shutdown; the users then start both again.
 */
final class Supervisor {

  private static final String SCRIPT = script();
  private static final Duration LOCK_PATIENCE = Duration.ofSeconds(30);

  private final ServerFiles files;

  Supervisor(ServerFiles files) {
    this.files = files;
  }

  /** Starts a supervisor and, below it, the server. Returns at once. */
  Process start(ServerState state, List<String> privilegesPrefix, List<String> server) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("setsid", "sh", "-c", SCRIPT, "sluice-postgres"));
    words.add(files.serverLock().toString());
    words.add(files.users().toString());
    words.add(files.stopping(state.start()).toString());
    words.add(Long.toString(LOCK_PATIENCE.toSeconds()));
    words.addAll(privilegesPrefix);
    // Last in the chain: a change of user would clear the parent-death signal.
    words.addAll(List.of("setpriv", "--pdeathsig", "INT"));
    words.addAll(server);
    try {
      // None of our own streams: whoever waits for their end must not wait for the server's.
      return new ProcessBuilder(words)
          .directory(new File("/"))
          .redirectInput(Redirect.from(new File("/dev/null")))
          .redirectErrorStream(true)
          .redirectOutput(Redirect.appendTo(files.log().toFile()))
          .start();
    } catch (IOException e) {
      throw Command.missing("setsid", e);
    }
  }

  /** Whether any process of the server is alive: a postmaster, or a backend that outlived it. */
  boolean serverIsAlive() {
    return !awaitServerGone(Duration.ZERO);
  }

  /** Waits until no process of the server is left; false if the time is over before. */
  boolean awaitServerGone(Duration patience) {
    Path lock = files.serverLock();
    long seconds = patience.toSeconds();
    return Command.of("flock", "-s", "-w", Long.toString(seconds), lock.toString(), "true")
        .run()
        .succeeded();
  }

  private static String script() {
    try (InputStream in = Supervisor.class.getResourceAsStream("supervise.sh")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
