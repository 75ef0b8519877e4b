package dev.sluice.cli.config;

import java.nio.file.Path;
import java.util.Map;

/**
 * What a process finds around it.
 *
 * @param environment its environment variables
 * @param directory the directory it works in
 * @param home the user's home directory
 */
public record Surroundings(Map<String, String> environment, Path directory, Path home) {
  /** Those of this process. */
  public static Surroundings ofProcess() {
    return new Surroundings(
        System.getenv(),
        Path.of("").toAbsolutePath(),
        Path.of(System.getProperty("user.home", "/")).toAbsolutePath());
  }
}
