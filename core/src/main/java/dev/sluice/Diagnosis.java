package dev.sluice;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an examination of a store found, for operators; see {@link Sluice#diagnose}.
 *
 * @param store which store, without secrets
 * @param findings in the order they were made; later checks are left out if an earlier one failed
 *     that they build on
 */
public record Diagnosis(String store, List<Finding> findings) {
  public Diagnosis {
    findings = List.copyOf(findings);
  }

  /**
   * One check.
   *
   * @param subject what was looked at, in a word or two
   * @param good whether it is as it should be
   * @param seen what was seen, as a sentence
   * @param remedy what to do, unless it is good or {@code seen} says so
   * @param figures what was measured, by name with its unit: {@code read_median_ms}
   */
  public record Finding(
      String subject,
      boolean good,
      String seen,
      Optional<String> remedy,
      Map<String, Double> figures) {}

  /** Whether everything is as it should be. */
  public boolean healthy() {
    return findings.stream().allMatch(Finding::good);
  }
}
