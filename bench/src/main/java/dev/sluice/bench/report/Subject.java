package dev.sluice.bench.report;

import java.util.Map;

/**
 * Something that was measured: one setting of a scenario, or a peer.
 *
 * @param name unique in its report
 * @param settings how it was set up, for people to read
 * @param figures what was measured, by name, in the order to show them
 */
public record Subject(String name, Map<String, String> settings, Map<String, Figure> figures) {
  /** The throughput. */
  public static final String JOBS_PER_SECOND = "jobs/s";

  /** What the server spent on a job, all its processes together. */
  public static final String SERVER_CPU = "server CPU per job";

  /** The setting that says why it could not be measured. */
  public static final String FAILED = "failed";

  /** Whether it could not be measured. */
  public boolean failed() {
    return settings.containsKey(FAILED);
  }
}
