package dev.sluice.cli.config;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The settings of this process, each from the strongest place that names it: flags, environment,
 * profile, the project's file, the user's file, defaults. Immutable.
 */
public final class Configuration {
  /**
   * A value and where it comes from.
   *
   * @param value the value
   * @param kind the kind of place: flag, environment, profile NAME, project, user, default
   * @param where the place itself: the flag, the variable, the file with its line
   */
  public record Found<T>(T value, String kind, String where) {}

  /**
   * A limit of a group.
   *
   * @param limit the number
   * @param pointer where payloads have the value of the dimension that it is for each value of
   * @param file the file it stands in
   * @param kind the kind of place
   * @param where the file with its line
   */
  public record Limit(int limit, Optional<String> pointer, Path file, String kind, String where) {}

  private final List<Layer> layers;
  private final List<Path> files;
  private final List<Problem> problems;
  private final List<String> warnings;
  private final List<String> ignored;

  Configuration(
      List<Layer> layers,
      List<Path> files,
      List<Problem> problems,
      List<String> warnings,
      List<String> ignored) {
    this.layers = List.copyOf(layers);
    this.files = List.copyOf(files);
    this.problems = List.copyOf(problems);
    this.warnings = List.copyOf(warnings);
    this.ignored = List.copyOf(ignored);
  }

  /** Everything that is wrong. */
  public List<Problem> problems() {
    return problems;
  }

  /** What should be looked at, though it works; no secrets. */
  public List<String> warnings() {
    return warnings;
  }

  /** Which files were found and not read, and why: of interest to every command. */
  public List<String> ignored() {
    return ignored;
  }

  /** The files that were read, the strongest first. */
  public List<Path> files() {
    return files;
  }

  /**
   * This configuration, if nothing is wrong with it but for values of these tables, which the
   * caller does not use.
   *
   * @throws InvalidRequestException with the first problem otherwise
   */
  public Configuration orThrow(String... unused) {
    List<Problem> relevant =
        problems.stream().filter(problem -> !List.of(unused).contains(problem.table())).toList();
    if (relevant.isEmpty()) {
      return this;
    }
    throw new InvalidRequestException(
        relevant.get(0)
            + (relevant.size() == 1
                ? ""
                : " And %d more; see 'sluice config validate'.".formatted(relevant.size() - 1)));
  }

  /** The value of a setting and where it comes from; empty = nobody names one. */
  @SuppressWarnings("unchecked") // layers keep for a setting what its type has read
  public <T> Optional<Found<T>> find(Setting<T> setting) {
    for (Layer layer : layers) {
      Layer.Given given = layer.values().get(setting);
      if (given != null) {
        return Optional.of(new Found<>((T) given.value(), layer.kind(), given.where()));
      }
    }
    return setting.presetValue().map(value -> new Found<>(value, "default", "default"));
  }

  /** The value of a setting that has a default. */
  public <T> T get(Setting<T> setting) {
    return find(setting).orElseThrow().value();
  }

  /** What the flag says, or else the setting. */
  public <T> T get(Setting<T> setting, T flag) {
    return flag == null ? get(setting) : flag;
  }

  /** The limits that files give, by group. */
  public Map<Group, Limit> limits() {
    Map<Group, Limit> limits = new TreeMap<>();
    for (Layer layer : layers) {
      layer
          .limits()
          .forEach(
              (group, given) ->
                  limits.putIfAbsent(
                      group,
                      new Limit(
                          given.limit(),
                          given.pointer(),
                          layer.file().orElseThrow(),
                          layer.kind(),
                          given.where())));
    }
    return limits;
  }

  /** The schedules that files give, by name; the strongest place that names one says all of it. */
  public Map<String, ConfiguredSchedule> schedules() {
    Map<String, ConfiguredSchedule> schedules = new TreeMap<>();
    layers.forEach(layer -> layer.schedules().forEach(schedules::putIfAbsent));
    return schedules;
  }
}
