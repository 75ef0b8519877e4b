package dev.sluice.bench.pages;

import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.metrics.SluiceMetrics;
import dev.sluice.metrics.StoreGauges;
import dev.sluice.server.SluiceServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;

/** The server, in this process, with all it has: metrics and the doctor too. */
final class Served implements AutoCloseable {
  private final Sluice sluice;
  private final StoreGauges gauges;
  private final SluiceServer server;

  /**
   * Starts it.
   *
   * @param sluice what it serves; closed with it
   * @param url where its store is, for the doctor
   */
  Served(Sluice sluice, String url) {
    this.sluice = sluice;
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    gauges = SluiceMetrics.on(registry).watch(sluice);
    server =
        SluiceServer.builder(sluice)
            .port(0)
            .registry(registry)
            .storeUrl(url)
            .diagnosis(() -> Sluice.diagnose(SluiceOptions.url(url)))
            .start();
  }

  URI address() {
    return URI.create(server.url());
  }

  /** Whether this is a thread that answers requests. */
  static boolean answers(Thread thread) {
    return thread.getName().matches("sluice-server-\\d+");
  }

  @Override
  public void close() {
    server.close();
    gauges.close();
    sluice.close();
  }
}
