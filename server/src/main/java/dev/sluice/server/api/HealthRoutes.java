package dev.sluice.server.api;

import dev.sluice.server.view.Problem;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Health and metrics.
 *
 * @param registry what is measured; shown if it is a Prometheus registry
 * @param ready whether the process can do its work
 */
public record HealthRoutes(MeterRegistry registry, BooleanSupplier ready) {
  private static final String TAG = "system";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  /** The routes. */
  public List<Route> routes() {
    return List.of(
        Route.get("/metrics")
            .says(TAG, "Figures for Prometheus.")
            .takes(
                Parameter.query(
                    "name[]", "string", "Only metrics of this name; repeat it for more."))
            .answers(Reply.other(200, PROMETHEUS, "In Prometheus' text format."))
            .run(call -> Answer.text(200, PROMETHEUS, scrape(call.queries("name[]")))),
        Route.get("/healthz")
            .open()
            .says(TAG, "Whether the process is alive.")
            .answers(Reply.other(200, TEXT, "It is."))
            .run(call -> Answer.text(200, TEXT, "ok\n")),
        Route.get("/readyz")
            .open()
            .says(TAG, "Whether the store answers.")
            .answers(Reply.other(200, TEXT, "It does."))
            .run(this::readiness));
  }

  private String scrape(List<String> names) {
    if (!(registry instanceof PrometheusMeterRegistry prometheus)) {
      throw Problem.notFound("This server has no Prometheus registry.");
    }
    return names.isEmpty()
        ? prometheus.scrape(PROMETHEUS)
        : prometheus.scrape(PROMETHEUS, Set.copyOf(names));
  }

  private Answer readiness(Call call) {
    if (!ready.getAsBoolean()) {
      throw new Problem(503, "The store does not answer.").header("Retry-After", "5");
    }
    return Answer.text(200, TEXT, "ready\n");
  }
}
