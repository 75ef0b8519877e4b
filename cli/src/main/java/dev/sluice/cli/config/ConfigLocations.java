package dev.sluice.cli.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** Where configuration files are looked for. */
public final class ConfigLocations {
  /** The name of a project's file. */
  public static final String PROJECT_FILE = ".sluice.toml";

  private ConfigLocations() {}

  /**
   * The file of the project that the process works in: in its directory or the nearest one above,
   * no further up than the root of the repository or the home directory. Files that somebody else
   * could have put there are passed over.
   *
   * @param ignored hears of each of those, a sentence with the remedy
   */
  static Optional<Path> project(Surroundings surroundings, Consumer<String> ignored) {
    Path home = surroundings.home().normalize();
    for (Path directory = surroundings.directory().normalize();
        directory != null;
        directory = directory.getParent()) {
      Path file = directory.resolve(PROJECT_FILE);
      if (Files.isRegularFile(file)) {
        Optional<String> objection = Trust.objection(file);
        if (objection.isEmpty()) {
          return Optional.of(file);
        }
        ignored.accept(
            "%s is not read, because it %s. If it is meant, name it with --config or SLUICE_CONFIG."
                .formatted(file, objection.get()));
      }
      if (directory.equals(home) || Files.exists(directory.resolve(".git"))) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** The user's own file, whether it is there or not. */
  public static Path user(Surroundings surroundings) {
    String xdg = surroundings.environment().getOrDefault("XDG_CONFIG_HOME", "");
    // The standard says that relative paths are to be ignored.
    Path base =
        xdg.isBlank() || !Path.of(xdg).isAbsolute()
            ? surroundings.home().resolve(".config")
            : Path.of(xdg);
    return base.resolve("sluice").resolve("config.toml");
  }
}
