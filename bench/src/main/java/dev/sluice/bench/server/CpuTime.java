package dev.sluice.bench.server;

import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * CPU time that a server spent while so many jobs passed through it.
 *
 * @param nanos of all its processes; empty = it cannot be known
 */
public record CpuTime(OptionalLong nanos, long jobs) {
  /** Both together. */
  public CpuTime plus(CpuTime more) {
    OptionalLong sum =
        nanos.isPresent() && more.nanos.isPresent()
            ? OptionalLong.of(nanos.getAsLong() + more.nanos.getAsLong())
            : OptionalLong.empty();
    return new CpuTime(sum, jobs + more.jobs);
  }

  /** Microseconds for each job. */
  public OptionalDouble microsPerJob() {
    return nanos.isPresent()
        ? OptionalDouble.of(
            nanos.getAsLong() / (double) TimeUnit.MICROSECONDS.toNanos(1) / Math.max(1, jobs))
        : OptionalDouble.empty();
  }
}
