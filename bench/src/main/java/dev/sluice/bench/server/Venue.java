package dev.sluice.bench.server;

import java.util.Optional;

/** An empty store's place, for one measurement; what is in it goes when it is closed. */
public interface Venue extends AutoCloseable {
  /** The URL of the store; it may hold a password. */
  String url();

  /** Tidies up, so that measurements begin alike. */
  void settle();

  /** Has the server time its own work from now on, if it can. */
  Optional<FunctionTimer> startTimer();

  /** What counts the CPU time of its server; empty if it has no server. */
  default Optional<CpuClock> serverCpu() {
    return Optional.empty();
  }

  @Override
  void close();
}
