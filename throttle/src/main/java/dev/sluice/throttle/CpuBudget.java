package dev.sluice.throttle;

import dev.sluice.throttle.CpuSignal.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How many processors this process really has, and why. Immutable.
 *
 * <p>A container that may use one and a half processors of a machine with 64 has one and a half,
 * and a pool sized for 64 would spend its time switching. Several things bound a process at once:
 * the processors it may run on (cpuset), the time it may use (quota), of its own cgroup and of
 * every one above, and what the JVM was told. The tightest of them counts; none hides another. A
 * fraction is kept as it is in the {@linkplain #signals() signals} and rounded up in {@link
 * #cores()}, because a process with one and a half processors can keep two threads busy, most of
 * the time.
 *
 * <p>Whoever knows better sets {@value #EFFECTIVE_CPU_CORES}.
 */
public final class CpuBudget {
  /** The variable that overrules whatever would be detected. */
  public static final String EFFECTIVE_CPU_CORES = "EFFECTIVE_CPU_CORES";

  /** The least that is done at once when it waits for others most of the time. */
  private static final int LEAST_IO = 4;

  private final Setting effective;
  private final Setting physical;
  private final List<CpuSignal> signals;

  /** What work mostly does. */
  public enum Load {
    /** It computes: one at a time for each core. */
    CPU,
    /** It waits for a disk or a network: two for each core, and at least four. */
    IO
  }

  /**
   * Where to look.
   *
   * @param root the directory that stands for {@code /}
   * @param environment the variables
   * @param jvmProcessors what the JVM believes
   */
  public record Sources(Path root, Environment environment, int jvmProcessors) {
    /** Those of this process. */
    public static Sources system() {
      return new Sources(
          Path.of("/"), Environment.system(), Runtime.getRuntime().availableProcessors());
    }
  }

  private CpuBudget(Setting effective, Setting physical, List<CpuSignal> signals) {
    this.effective = effective;
    this.physical = physical;
    this.signals = List.copyOf(signals);
  }

  /**
   * The processors of this process.
   *
   * @throws InvalidSettingException if {@value #EFFECTIVE_CPU_CORES} is set and not a whole number
   *     from 1
   */
  public static CpuBudget detect() {
    return detect(Sources.system());
  }

  /** The processors of a process that sees these sources, such as a prepared directory. */
  public static CpuBudget detect(Sources sources) {
    List<CpuSignal> signals = new ArrayList<>();
    OptionalInt override = sources.environment().positiveInt(EFFECTIVE_CPU_CORES);
    override.ifPresent(
        cores -> signals.add(CpuSignal.of(Kind.OVERRIDE, cores, EFFECTIVE_CPU_CORES)));
    signals.addAll(CgroupSignals.read(new CgroupMounts(sources.root())));
    signals.add(CpuSignal.of(Kind.JVM, sources.jvmProcessors(), "Runtime.availableProcessors()"));
    CpuSignal decisive = override.isPresent() ? signals.get(0) : tightest(signals);
    int cores = Math.max(1, (int) Math.ceil(decisive.cores().orElseThrow()));
    String rounded = decisive.text().contains(".") ? ", rounded up" : "";
    return new CpuBudget(
        new Setting(cores, decisive.source() + rounded), physicalCores(sources), signals);
  }

  private static CpuSignal tightest(List<CpuSignal> signals) {
    return signals.stream()
        .filter(signal -> signal.cores().isPresent())
        .min(Comparator.comparingDouble(signal -> signal.cores().getAsDouble()))
        .orElseThrow();
  }

  /** The cores this process can keep busy; at least 1. */
  public int cores() {
    return effective.value();
  }

  /** The same, with the signal that decided it. */
  public Setting effective() {
    return effective;
  }

  /** The cores of the machine, whoever may use them; for information only. */
  public Setting physical() {
    return physical;
  }

  /** Everything that was found, whether it decided or not. */
  public List<CpuSignal> signals() {
    return signals;
  }

  /**
   * How much of such work to do at once when nobody says: {@code max(1, cores)} for {@link
   * Load#CPU}, {@code max(4, 2 × cores)} for {@link Load#IO}.
   */
  public int computeDefault(Load load) {
    return computed(load).value();
  }

  /** The same, with the formula. */
  Setting computed(Load load) {
    return switch (load) {
      case CPU -> new Setting(cores(), "computed: max(1, %d cores)".formatted(cores()));
      case IO ->
          new Setting(
              (int) Math.max(LEAST_IO, Math.min(Integer.MAX_VALUE, 2L * cores())),
              "computed: max(%d, 2 × %d cores)".formatted(LEAST_IO, cores()));
    };
  }

  /** All of it, a line for each number. */
  public List<ReportLine> report() {
    List<ReportLine> lines = new ArrayList<>();
    lines.add(ReportLine.of("physical cores", physical));
    for (Kind kind : Kind.values()) {
      List<CpuSignal> ofKind = signals.stream().filter(each -> each.kind() == kind).toList();
      ofKind.forEach(
          signal -> lines.add(new ReportLine(kind.title(), signal.text(), signal.source())));
      if (ofKind.isEmpty() && kind != Kind.OVERRIDE) {
        lines.add(new ReportLine(kind.title(), "none", "no cgroup says so"));
      }
    }
    lines.add(ReportLine.of("effective cores", effective));
    lines.add(ReportLine.of("cpu default", computed(Load.CPU)));
    lines.add(ReportLine.of("io default", computed(Load.IO)));
    return List.copyOf(lines);
  }

  /** By the core ids of {@code /proc/cpuinfo}; virtual machines and arm64 list processors only. */
  private static Setting physicalCores(Sources sources) {
    try {
      Set<String> cores = new HashSet<>();
      int processors = 0;
      String socket = "";
      for (String line : Files.readAllLines(sources.root().resolve("proc/cpuinfo"))) {
        Optional<Map.Entry<String, String>> field = field(line);
        String name = field.map(Map.Entry::getKey).orElse("");
        switch (name) {
          case "processor" -> processors++;
          case "physical id" -> socket = field.get().getValue();
          case "core id" -> cores.add(socket + "/" + field.get().getValue());
          default -> {
            // Flags and frequencies.
          }
        }
      }
      if (processors > 0) {
        return new Setting(cores.isEmpty() ? processors : cores.size(), "/proc/cpuinfo");
      }
    } catch (IOException absent) {
      // Not Linux: the JVM knows best.
    }
    return new Setting(sources.jvmProcessors(), "Runtime.availableProcessors()");
  }

  private static Optional<Map.Entry<String, String>> field(String line) {
    int colon = line.indexOf(':');
    return colon < 0
        ? Optional.empty()
        : Optional.of(
            Map.entry(line.substring(0, colon).strip(), line.substring(colon + 1).strip()));
  }

  @Override
  public String toString() {
    return "%d cores (%s)".formatted(cores(), effective.source());
  }
}
