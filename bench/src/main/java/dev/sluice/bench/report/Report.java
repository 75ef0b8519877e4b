package dev.sluice.bench.report;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What a run of the benchmarks found, whole: what {@code --json} writes and {@code compare} reads.
 *
 * @param command the command line that repeats it
 * @param startedAt when
 * @param machine processor, memory, Java and PostgreSQL versions, and the settings that matter
 * @param sections a section for each scenario
 */
public record Report(
    String command, Instant startedAt, Map<String, String> machine, List<Section> sections) {
  public Report {
    sections = List.copyOf(sections);
  }

  /** Where its figures come from, below a chart. */
  List<String> caption() {
    return List.of(Machine.caption(machine), command);
  }
}
