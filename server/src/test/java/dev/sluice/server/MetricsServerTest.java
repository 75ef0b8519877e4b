package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MetricsServerTest {
  private static final String TOKEN = "a-token-that-may-read";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private static String get(MetricsServer server, String path, String headers) throws Exception {
    try (RawClient client = new RawClient(server.port())) {
      return client
          .send("GET %s HTTP/1.1\r\nConnection: close\r\n%s\r\n".formatted(path, headers))
          .readAll();
    }
  }

  private static String host(MetricsServer server) {
    return "Host: localhost:%d\r\n".formatted(server.port());
  }

  @Test
  void serve_loopback_showsMetricsAndHealthAndNothingElse() throws Exception {
    registry.counter("seen").increment();
    AtomicBoolean ready = new AtomicBoolean(true);
    try (MetricsServer server = MetricsServer.builder(registry).ready(ready::get).start()) {
      String host = host(server);
      assertThat(get(server, "/metrics", host)).startsWith("HTTP/1.1 200").contains("seen_total 1");
      assertThat(get(server, "/healthz", host)).startsWith("HTTP/1.1 200").endsWith("ok\n");
      assertThat(get(server, "/readyz", host)).startsWith("HTTP/1.1 200");
      ready.set(false);
      assertThat(get(server, "/readyz", host)).startsWith("HTTP/1.1 503");
      for (String path : new String[] {"/", "/assets/app.js", "/api/v1/overview"}) {
        assertThat(get(server, path, host)).as(path).startsWith("HTTP/1.1 404");
      }
    }
  }

  @Test
  void serve_underAnotherName_isRefused() throws Exception {
    try (MetricsServer server = MetricsServer.builder(registry).start()) {
      assertThat(get(server, "/metrics", "Host: elsewhere.example\r\n")).startsWith("HTTP/1.1 403");
    }
  }

  @Test
  void serve_withToken_demandsItForMetricsAlone() throws Exception {
    try (MetricsServer server =
        MetricsServer.builder(registry).address("127.0.0.2").readToken(TOKEN).start()) {
      assertThat(server.url()).startsWith("http://127.0.0.2:");
    }
    try (MetricsServer server = MetricsServer.builder(registry).readToken(TOKEN).start()) {
      String host = host(server);
      assertThat(get(server, "/metrics", host)).startsWith("HTTP/1.1 401");
      assertThat(get(server, "/healthz", host)).startsWith("HTTP/1.1 200");
      assertThat(get(server, "/metrics", host + "Authorization: Bearer " + TOKEN + "\r\n"))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void start_otherAddressWithoutToken_isRefused() {
    assertThatThrownBy(() -> MetricsServer.builder(registry).address("0.0.0.0").start())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("token");
  }

  @Test
  void start_portInUse_saysWhich() {
    try (MetricsServer server = MetricsServer.builder(registry).start()) {
      assertThatThrownBy(() -> MetricsServer.builder(registry).port(server.port()).start())
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("127.0.0.1:" + server.port());
    }
  }
}
