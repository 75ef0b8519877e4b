package dev.sluice.cli.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What the command line says about configuration.
 *
 * @param file a file in place of the project's; empty = look for it
 * @param profile a profile; empty = what the environment says
 * @param flags values given as options
 */
public record ConfigRequest(
    Optional<Path> file, Optional<String> profile, Map<Setting<?>, Object> flags) {
  /** Nothing is said. */
  public static final ConfigRequest NONE =
      new ConfigRequest(Optional.empty(), Optional.empty(), Map.of());
}
