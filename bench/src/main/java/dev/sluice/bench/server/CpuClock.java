package dev.sluice.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Counts the CPU time of a PostgreSQL server as Linux does: of the postmaster, of every process
 * that it has started, and of those among them that have ended. Whatever the server does counts,
 * also what it does for itself: writing out, vacuuming.
 *
 * <p>Only a server on the same machine can be looked at. It is found by asking it for the process
 * that serves a connection; that the process of this id is the one is known by its title, which
 * holds the port of the connection. Immutable, so thread-safe.
 */
public final class CpuClock {
  private static final Path PROCESSES = Path.of("/proc");
  private static final String BACKEND = "SELECT pg_backend_pid(), inet_client_port()";

  /** What Linux counts in where programs can see it, whatever the kernel itself counts in. */
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);

  /** How often to look again because a process has ended meanwhile. */
  private static final int ATTEMPTS = 10;

  private final OptionalLong postmaster;

  private CpuClock(OptionalLong postmaster) {
    this.postmaster = postmaster;
  }

  /** The clock of this server; it knows nothing if the server is out of sight. */
  public static CpuClock of(Endpoint server) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(BACKEND)) {
      row.next();
      return new CpuClock(postmasterOf(row.getLong(1), row.getInt(2)));
    } catch (SQLException e) {
      return new CpuClock(OptionalLong.empty());
    }
  }

  private static OptionalLong postmasterOf(long backend, int clientPort) {
    try {
      String title = Files.readString(PROCESSES.resolve(backend + "/cmdline"));
      return title.startsWith("postgres") && title.contains("(%d)".formatted(clientPort))
          ? OptionalLong.of(stat(backend).parent())
          : OptionalLong.empty();
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  /** Begins to count. */
  public Count start() {
    return new Count(nanos());
  }

  /** CPU time counted from some moment on. */
  public final class Count {
    private final OptionalLong began;

    private Count(OptionalLong began) {
      this.began = began;
    }

    /** What was spent since, on so many jobs. */
    public CpuTime stop(long jobs) {
      OptionalLong now = nanos();
      OptionalLong spent =
          began.isPresent() && now.isPresent()
              ? OptionalLong.of(now.getAsLong() - began.getAsLong())
              : OptionalLong.empty();
      return new CpuTime(spent, jobs);
    }
  }

  private OptionalLong nanos() {
    if (postmaster.isEmpty()) {
      return OptionalLong.empty();
    }
    long server = postmaster.getAsLong();
    try {
      ProcStat before = stat(server);
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        long children = childrenTicks(server);
        ProcStat after = stat(server);
        // Else a process has ended in between, and would be counted twice or not at all.
        if (after.reapedTicks() == before.reapedTicks()) {
          return OptionalLong.of((after.ownTicks() + after.reapedTicks() + children) * TICK);
        }
        before = after;
      }
      return OptionalLong.empty();
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  private static long childrenTicks(long server) {
    List<ProcessHandle> children =
        ProcessHandle.of(server).map(handle -> handle.children().toList()).orElse(List.of());
    long ticks = 0;
    for (ProcessHandle child : children) {
      try {
        ticks += stat(child.pid()).ownTicks();
      } catch (IOException e) {
        // It has ended: from now on the postmaster's line has its time.
      }
    }
    return ticks;
  }

  private static ProcStat stat(long process) throws IOException {
    return ProcStat.parse(Files.readString(PROCESSES.resolve(process + "/stat")));
  }
}
