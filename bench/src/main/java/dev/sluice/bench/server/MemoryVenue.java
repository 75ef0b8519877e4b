package dev.sluice.bench.server;

import java.util.Optional;
import java.util.UUID;

/**
 * A store in the memory of this process, gone when nobody has it open.
 *
 * @param url names it
 */
public record MemoryVenue(String url) implements Venue {
  /** A new one. */
  public static MemoryVenue create() {
    return new MemoryVenue("memory:" + UUID.randomUUID());
  }

  /** Nothing to do. */
  @Override
  public void settle() {}

  @Override
  public Optional<FunctionTimer> startTimer() {
    return Optional.empty();
  }

  /** Nothing to do: it goes with the last store that is closed. */
  @Override
  public void close() {}
}
