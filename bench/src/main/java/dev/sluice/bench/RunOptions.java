package dev.sluice.bench;

import dev.sluice.InvalidRequestException;
import dev.sluice.bench.scenario.Plan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of every command that measures. */
final class RunOptions {
  @Option(
      names = "--store",
      paramLabel = "URL",
      defaultValue = "embedded:",
      description =
          "The PostgreSQL to measure on: postgresql://user:password@host/database. The user has to"
              + " be allowed to create databases. Default: one of its own, whatever SLUICE_STORE"
              + " says.")
  private String store;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write everything that was measured to a file.")
  private Path json;

  @Option(
      names = "--docs",
      paramLabel = "DIR",
      description =
          "Also write a page with tables and charts to a directory, for each family of scenarios, over"
              + " an earlier one.")
  private Path docs;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "How many rounds to take the median of. Default: 5, for growth 1.")
  private Integer runs;

  @Option(names = "--scale", hidden = true, defaultValue = "1")
  private double scale;

  String store() {
    return store;
  }

  /**
   * Sees to it that what was measured can be written, before anything is.
   *
   * @throws InvalidRequestException if it cannot
   */
  void requireWritable() {
    json()
        .map(file -> file.toAbsolutePath().getParent())
        .filter(directory -> Files.isDirectory(json) || !Files.isWritable(directory))
        .ifPresent(
            directory -> {
              throw new InvalidRequestException(
                  "--json %s cannot be written. Name a file in a directory that exists and is yours."
                      .formatted(json));
            });
    if (docs != null && (!Files.isDirectory(docs) || !Files.isWritable(docs))) {
      throw new InvalidRequestException(
          "--docs %s is not a directory that can be written. Make it first, or name another."
              .formatted(docs));
    }
  }

  Optional<Path> json() {
    return Optional.ofNullable(json);
  }

  Optional<Path> docs() {
    return Optional.ofNullable(docs);
  }

  /**
   * How thoroughly to measure.
   *
   * @throws InvalidRequestException if that would measure nothing
   */
  Plan plan(int defaultRuns) {
    if (scale <= 0 || (runs != null && runs < 1)) {
      throw new InvalidRequestException("--runs is at least 1.");
    }
    return new Plan(runs == null ? defaultRuns : runs, scale);
  }

  /** The command line that repeats a run of this; without the store, whose URL may be secret. */
  String command(String what) {
    return "./sluice bench "
        + what
        + (runs == null ? "" : " --runs " + runs)
        + (scale == 1 ? "" : " --scale " + scale);
  }
}
