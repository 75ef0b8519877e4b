package dev.sluice.throttle;

import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Something that says how many processors this process may use.
 *
 * @param kind what it is
 * @param cores how many; may be a fraction. Empty if it sets no bound, or could not be understood
 * @param source the file or call, and what it said
 */
public record CpuSignal(Kind kind, OptionalDouble cores, String source) {
  /** The kinds of signals. */
  public enum Kind {
    /** The variable {@value CpuBudget#EFFECTIVE_CPU_CORES}, which overrules the others. */
    OVERRIDE("override"),
    /** The processors that a cgroup may run on. */
    CPUSET("cpuset"),
    /** The time that a cgroup may use. */
    QUOTA("quota"),
    /** What the JVM believes. */
    JVM("JVM");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    /** As people read it. */
    public String title() {
      return title;
    }
  }

  static CpuSignal of(Kind kind, double cores, String source) {
    return new CpuSignal(kind, OptionalDouble.of(cores), source);
  }

  static CpuSignal silent(Kind kind, String source) {
    return new CpuSignal(kind, OptionalDouble.empty(), source);
  }

  /** The number as people read it: {@code 2}, {@code 1.5}, or {@code none}. */
  public String text() {
    if (cores.isEmpty()) {
      return "none";
    }
    double value = cores.getAsDouble();
    return String.format(Locale.ROOT, "%.3f", value).replaceFirst("\\.?0+$", "");
  }
}
