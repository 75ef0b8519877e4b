package dev.sluice.cli.config;

import dev.sluice.Group;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What one place says: the flags, the environment, a file or a profile in it. Not thread-safe. */
final class Layer {
  /**
   * A value and where it was given.
   *
   * @param value of the type that its setting has
   * @param where for people: a flag, a variable, a file with its line
   */
  record Given(Object value, String where) {}

  /**
   * A limit and where it was given.
   *
   * @param pointer where payloads have the value of the dimension that it is for each value of
   */
  record GivenLimit(int limit, Optional<String> pointer, String where) {}

  private final String kind;
  private final Optional<Path> file;
  private final Map<Setting<?>, Given> values = new LinkedHashMap<>();
  private final Map<Group, GivenLimit> limits = new TreeMap<>();
  private final Map<String, ConfiguredSchedule> schedules = new TreeMap<>();

  Layer(String kind, Optional<Path> file) {
    this.kind = kind;
    this.file = file;
  }

  /** In a word or two: flag, environment, profile staging, project, user, default. */
  String kind() {
    return kind;
  }

  Optional<Path> file() {
    return file;
  }

  Map<Setting<?>, Given> values() {
    return values;
  }

  /** Limits of groups. */
  Map<Group, GivenLimit> limits() {
    return limits;
  }

  Map<String, ConfiguredSchedule> schedules() {
    return schedules;
  }
}
