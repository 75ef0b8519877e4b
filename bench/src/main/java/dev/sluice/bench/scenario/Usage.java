package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Figure;
import dev.sluice.object.RequestKind;
import dev.sluice.object.RequestReport;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Requests that were counted while something was done so many times.
 *
 * @param times how many jobs were run, or days would have passed
 */
record Usage(RequestReport counted, double times) {
  private static final double MILLION = 1e6;

  /** Requests for each. */
  double requests() {
    return counted.requests() / times;
  }

  double requests(RequestKind kind) {
    return counted.of(kind).requests() / times;
  }

  /** What a million of them cost at list prices. */
  double dollarsPerMillion() {
    return dollars() * MILLION;
  }

  /** What one costs at list prices. */
  double dollars() {
    return counted.dollars() / times;
  }

  /** Conditional puts that lost their race, for each. */
  double lost() {
    return counted.of(RequestKind.PUT).lost() / times;
  }

  /** Bytes sent in bodies, for each. */
  double bytesSent() {
    return counted.of(RequestKind.PUT).bytesSent() / times;
  }

  /** Adds the requests by kind to the figures of a subject. */
  static void putKinds(Map<String, Figure> figures, List<Usage> rounds) {
    figures.put("requests", figure("", rounds, Usage::requests));
    for (RequestKind kind : RequestKind.values()) {
      figures.put(
          kind.name().toLowerCase(Locale.ROOT), figure("", rounds, usage -> usage.requests(kind)));
    }
  }

  static Figure figure(String unit, List<Usage> rounds, ToDoubleFunction<Usage> value) {
    return new Figure(unit, rounds.stream().mapToDouble(value).boxed().toList());
  }
}
