package dev.sluice.server.view;

import dev.sluice.Diagnosis;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What the latest examination of the store found; healthy, store and examinedAt are absent until
 * there has been one.
 */
public record DiagnosisView(
    @Maybe Boolean healthy,
    @Maybe String store,
    @Maybe Instant examinedAt,
    List<Finding> findings) {
  /** One check. */
  public record Finding(
      String subject,
      boolean good,
      String seen,
      @Maybe String remedy,
      Map<String, Double> figures) {}

  /** The first examination is under way. */
  public static DiagnosisView none() {
    return new DiagnosisView(null, null, null, List.of());
  }

  /** A diagnosis made at this time. */
  public static DiagnosisView of(Diagnosis diagnosis, Instant at) {
    return new DiagnosisView(
        diagnosis.healthy(),
        diagnosis.store(),
        at,
        diagnosis.findings().stream()
            .map(
                f ->
                    new Finding(
                        f.subject(), f.good(), f.seen(), f.remedy().orElse(null), f.figures()))
            .toList());
  }
}
