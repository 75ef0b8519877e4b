package dev.sluice.embedded;

import java.nio.file.Path;

/**
 * The files of one embedded server, all inside the directory the user named.
 *
 * <p>PostgreSQL's own data directory is the sub-directory {@code data}; the rest is ours, and
 * small.
 */
record ServerFiles(Path directory) {

  /** PostgreSQL's data directory. It appears complete or not at all. */
  Path data() {
    return directory.resolve("data");
  }

  /** The generated password, in the format of a libpq password file. */
  Path password() {
    return directory.resolve("pgpass");
  }

  /** Locked by the one process that is starting or stopping the server. */
  Path startLock() {
    return directory.resolve("start.lock");
  }

  /** Locked by the server's own processes for as long as one of them lives. */
  Path serverLock() {
    return directory.resolve("server.lock");
  }

  /** The FIFO that every user of the server holds open. */
  Path users() {
    return directory.resolve("users");
  }

  Path state() {
    return directory.resolve("server.properties");
  }

  /** Appears when the server that was started under this name has been told to stop. */
  Path stopping(String start) {
    return directory.resolve("stopping-" + start);
  }

  Path log() {
    return directory.resolve("postgres.log");
  }

  Path oldLog() {
    return directory.resolve("postgres.log.1");
  }
}
