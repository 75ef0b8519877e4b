package dev.sluice.throttle;

/**
 * A line of a report on the configuration.
 *
 * @param subject what the number is of
 * @param value the number
 * @param source where it came from
 */
public record ReportLine(String subject, String value, String source) {
  static ReportLine of(String subject, Setting setting) {
    return new ReportLine(subject, Integer.toString(setting.value()), setting.source());
  }
}
