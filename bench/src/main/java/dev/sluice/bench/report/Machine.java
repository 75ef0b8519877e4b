package dev.sluice.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What a run was measured on. */
public final class Machine {
  /** The key of the processor's model and count. */
  public static final String PROCESSOR = "processor";

  /** The key of the memory. */
  public static final String MEMORY = "memory";

  /** The key of the operating system. */
  public static final String SYSTEM = "system";

  /** The key of the Java version. */
  public static final String JAVA = "Java";

  /** The key of the server's version. */
  public static final String POSTGRESQL = "PostgreSQL";

  private static final double GIGABYTE = 1L << 30;

  private Machine() {}

  /**
   * Processor, memory, operating system and Java of this process, then the server's settings as
   * given; {@code server_version} is called {@link #POSTGRESQL}.
   */
  public static Map<String, String> describe(Map<String, String> serverSettings) {
    Map<String, String> machine = new LinkedHashMap<>();
    machine.put(
        PROCESSOR,
        "%d × %s".formatted(Runtime.getRuntime().availableProcessors(), processorModel()));
    machine.put(MEMORY, memory());
    machine.put(
        SYSTEM, "%s, %s".formatted(distribution(), System.getProperty("os.arch", "unknown")));
    machine.put(JAVA, Runtime.version() + ", " + System.getProperty("java.vm.name"));
    serverSettings.forEach(
        (name, value) -> machine.put(name.equals("server_version") ? POSTGRESQL : name, value));
    return machine;
  }

  /** The machine in one line, for a caption. */
  static String caption(Map<String, String> machine) {
    StringBuilder caption = new StringBuilder();
    for (String key : new String[] {PROCESSOR, MEMORY, SYSTEM}) {
      append(caption, machine.get(key));
    }
    for (String key : new String[] {JAVA, POSTGRESQL}) {
      append(caption, machine.containsKey(key) ? key + " " + machine.get(key) : null);
    }
    return caption.toString();
  }

  private static void append(StringBuilder caption, String part) {
    if (part != null) {
      caption.append(caption.isEmpty() ? "" : " · ").append(part);
    }
  }

  private static String processorModel() {
    return after(Path.of("/proc/cpuinfo"), "model name", ":")
        .replaceAll("\\((R|TM|r|tm)\\)", "")
        .replaceAll("\\s+", " ");
  }

  private static String distribution() {
    String name = after(Path.of("/etc/os-release"), "PRETTY_NAME", "=").replace("\"", "");
    String kernel = System.getProperty("os.name", "") + " " + System.getProperty("os.version", "");
    return name.equals("unknown") ? kernel : name + ", " + kernel;
  }

  private static String memory() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? String.format(Locale.ROOT, "%.0f GB", system.getTotalMemorySize() / GIGABYTE)
        : "unknown";
  }

  /** What stands behind the first such key of a file; {@code unknown} where there is none. */
  private static String after(Path file, String key, String separator) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key) && line.contains(separator))
          .map(line -> line.substring(line.indexOf(separator) + separator.length()).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
