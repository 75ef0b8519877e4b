package dev.sluice.throttle;

import dev.sluice.throttle.CpuSignal.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the cgroups of this process say about processors, at every level: a quota of an ancestor
 * binds as much as one's own. On a machine with both versions each controller is in one of them, so
 * both are asked, and whichever has the files answers.
 */
final class CgroupSignals {
  private static final long UNLIMITED = -1;

  private final CgroupMounts mounts;
  private final List<CpuSignal> found = new ArrayList<>();

  private CgroupSignals(CgroupMounts mounts) {
    this.mounts = mounts;
  }

  /** Everything found, own cgroup first; a file that makes no sense is told, and bounds nothing. */
  static List<CpuSignal> read(CgroupMounts mounts) {
    CgroupSignals signals = new CgroupSignals(mounts);
    for (String directory : mounts.unified()) {
      signals.add(Kind.CPUSET, directory + "/cpuset.cpus.effective", CgroupSignals::cpuset);
    }
    for (String directory : mounts.of("cpuset")) {
      signals.add(Kind.CPUSET, directory + "/cpuset.cpus", CgroupSignals::cpuset);
    }
    for (String directory : mounts.unified()) {
      signals.add(Kind.QUOTA, directory + "/cpu.max", CgroupSignals::quota);
    }
    for (String directory : mounts.of("cpu")) {
      String period = directory + "/cpu.cfs_period_us";
      signals.add(
          Kind.QUOTA,
          directory + "/cpu.cfs_quota_us",
          text -> quota(text + " " + mounts.read(period).orElse("(no cpu.cfs_period_us)")));
    }
    return List.copyOf(signals.found);
  }

  /** Makes sense of a file. */
  private interface Reading {
    OptionalDouble cores(String text) throws IOException;
  }

  private void add(Kind kind, String path, Reading reading) {
    try {
      Optional<String> text = mounts.read(path);
      if (text.isPresent()) {
        String source = "%s: %s".formatted(path, text.get().isEmpty() ? "(empty)" : text.get());
        found.add(new CpuSignal(kind, reading.cores(text.get()), source));
      }
    } catch (IOException | IllegalArgumentException e) {
      found.add(CpuSignal.silent(kind, "%s, ignored: %s".formatted(path, e.getMessage())));
    }
  }

  private static OptionalDouble cpuset(String text) {
    int count = CpuList.count(text);
    // An empty set of version 1 says that nobody has set it; the ancestors have.
    return count == 0 ? OptionalDouble.empty() : OptionalDouble.of(count);
  }

  /**
   * {@code max 100000}, {@code -1 100000}, {@code 150000 100000}; version 2 may omit the period.
   */
  private static OptionalDouble quota(String text) {
    String[] fields = text.split("\\s+", 2);
    if (fields[0].equals("max") || fields[0].equals(Long.toString(UNLIMITED))) {
      return OptionalDouble.empty();
    }
    try {
      double quota = Long.parseLong(fields[0]);
      double period = fields.length == 1 ? DEFAULT_PERIOD_MICROS : Long.parseLong(fields[1]);
      if (quota > 0 && period > 0) {
        return OptionalDouble.of(quota / period);
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'%s' is no quota".formatted(text), e);
    }
    throw new IllegalArgumentException("'%s' is no quota".formatted(text));
  }

  private static final long DEFAULT_PERIOD_MICROS = 100_000;
}
