package dev.sluice.embedded;

import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * How an embedded server is started, immutable.
 *
 * <p>Options take effect when this process is the one that starts the server. A process that joins
 * a running server gets it as it is.
 *
 * @param binaries an archive ({@code .txz}) of PostgreSQL programs, version 13 or newer; by default
 *     the one on the class path that fits the processor
 * @param settings further settings as in {@code postgresql.conf}, by name; none by default
 */
public record EmbeddedPostgresOptions(Optional<URL> binaries, Map<String, String> settings) {

  private static final Set<String> OURS =
      Set.of(
          "port",
          "listen_addresses",
          "unix_socket_directories",
          "data_directory",
          "config_file",
          "hba_file",
          "ident_file",
          "external_pid_file");

  /**
   * Checks the settings.
   *
   * @throws IllegalArgumentException if one of them is not the user's to choose
   */
  public EmbeddedPostgresOptions {
    Objects.requireNonNull(binaries, "binaries");
    settings = Map.copyOf(settings);
    for (String name : settings.keySet()) {
      if (OURS.contains(name)) {
        throw new IllegalArgumentException(
            "The setting '" + name + "' of an embedded PostgreSQL is chosen by Sluice. Remove it.");
      }
      if (!name.matches("[A-Za-z_][A-Za-z0-9_.]*")) {
        throw new IllegalArgumentException("'" + name + "' is not the name of a setting.");
      }
    }
  }

  /** The binaries of the class path and no further settings. */
  public static EmbeddedPostgresOptions defaults() {
    return new EmbeddedPostgresOptions(Optional.empty(), Map.of());
  }

  /** The same with the binaries of this archive, which may lie inside a jar. */
  public EmbeddedPostgresOptions withBinaries(URL archive) {
    return new EmbeddedPostgresOptions(Optional.of(archive), settings);
  }

  /** The same with the binaries of this archive. */
  public EmbeddedPostgresOptions withBinaries(Path archive) {
    try {
      return withBinaries(archive.toUri().toURL());
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(archive + " cannot be read as an archive.", e);
    }
  }

  /** The same with one more setting. */
  public EmbeddedPostgresOptions withSetting(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(name, value);
    return new EmbeddedPostgresOptions(binaries, more);
  }
}
