package dev.sluice.embedded;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * A real, durable PostgreSQL that needs no installation and is local to one machine.
 *
 * <p>Its programs come from the class path and its data lives in a directory. The first process
 * that joins the directory starts the server, further processes find it and share it, and the
 * server ends with its last user, in whatever way that user ends. While anybody uses it, the server
 * does not depend on the process that happened to start it.
 *
 * <pre>{@code
 * try (EmbeddedPostgres postgres = EmbeddedPostgres.join(EmbeddedPostgres.DEFAULT_DIRECTORY)) {
 *   try (Connection connection = postgres.dataSource().getConnection()) { … }
 * }
 * }</pre>
 *
 * <p>The server listens on 127.0.0.1 only, has no Unix socket, and asks for a generated password
 * that is kept in the file {@code pgpass} of the directory, readable for its owner alone.
 * PostgreSQL's defaults for durability stay as they are. What the server prints goes to {@code
 * postgres.log}.
 *
 * <p>Runs on Linux, as an ordinary user or as root, in which case the server drops root's powers.
 * All processes that share a directory must run as the same user, and on the same machine. Safe for
 * use by many threads.
 */
public final class EmbeddedPostgres implements AutoCloseable {

  /** Where the server lives if nothing else is said, relative to the working directory. */
  public static final Path DEFAULT_DIRECTORY = Path.of(".sluice", "postgres");

  private final SharedServer server;
  private final DataSource dataSource;
  private final AtomicBoolean closed = new AtomicBoolean();

  private EmbeddedPostgres(SharedServer server) {
    this.server = server;
    this.dataSource = new HealingDataSource(server);
  }

  /**
   * Joins the server of this directory with default options, and starts it if nobody has.
   *
   * @param dataDirectory the server's directory; created if it does not exist
   * @throws IllegalStateException if there can be no server here; the message names the remedy
   * @throws java.io.UncheckedIOException if the directory cannot be used
   */
  public static EmbeddedPostgres join(Path dataDirectory) {
    return join(dataDirectory, EmbeddedPostgresOptions.defaults());
  }

  /**
   * Joins the server of this directory, and starts it with these options if nobody has. Takes a few
   * seconds the first time, well under a second when the data exists, at most two minutes.
   *
   * @param dataDirectory the server's directory; created if it does not exist
   * @param options used if this process, now or later, starts the server
   * @throws IllegalStateException if there can be no server here; the message names the remedy
   * @throws java.io.UncheckedIOException if the directory cannot be used
   */
  public static EmbeddedPostgres join(Path dataDirectory, EmbeddedPostgresOptions options) {
    Platform.current().requireLinux();
    return join(dataDirectory, options, Privileges.detect());
  }

  static EmbeddedPostgres join(
      Path dataDirectory, EmbeddedPostgresOptions options, Privileges privileges) {
    return new EmbeddedPostgres(SharedServer.join(dataDirectory, options, privileges));
  }

  /**
   * Connections to the server, without a pool. A request that finds the server gone, because
   * somebody killed it, starts it again and then succeeds; connections that were open are lost. Of
   * no use after {@link #close()}.
   */
  public DataSource dataSource() {
    return dataSource;
  }

  /** The JDBC URL of the server as it is now, without user and password. */
  public String jdbcUrl() {
    return ServerConnections.url(port());
  }

  /** The port where the server listens now. It stays the same over restarts while it is free. */
  public int port() {
    return server.port();
  }

  /** The server's directory, absolute and without symbolic links. */
  public Path dataDirectory() {
    return server.files().directory();
  }

  /**
   * Leaves the server. If nobody else uses it, in this process or another, it is stopped with a
   * fast shutdown before this method returns. Calling it again does nothing.
   *
   * @throws IllegalStateException if the server does not stop within a minute
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      server.leave();
    }
  }
}
