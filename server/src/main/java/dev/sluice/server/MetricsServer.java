package dev.sluice.server;

import dev.sluice.server.api.Dispatcher;
import dev.sluice.server.api.HealthRoutes;
import dev.sluice.server.security.AccessTokens;
import dev.sluice.server.security.Gatekeeper;
import dev.sluice.server.security.Sessions;
import dev.sluice.server.web.WebServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;

/**
 * A running server of {@code /metrics}, {@code /healthz} and {@code /readyz} alone, for a process
 * that works and shows no dashboard. It lets in whom {@link SluiceServer} would: beyond the
 * loopback address {@code /metrics} needs a token. Thread-safe.
 *
 * <pre>{@code
 * try (MetricsServer metrics = MetricsServer.builder(registry).port(9090).start()) {
 *   ...
 * }
 * }</pre>
 */
public final class MetricsServer implements AutoCloseable {
  private static final int SMALLEST_BODY_BYTES = 1;

  private final String address;
  private final WebServer web;

  MetricsServer(MetricsServerBuilder settings) {
    address = settings.address;
    AccessTokens tokens = new AccessTokens(settings.tokens);
    Addresses.requireTokens(address, tokens);
    WebServer[] theServer = new WebServer[1];
    Gatekeeper gatekeeper =
        new Gatekeeper(
            tokens,
            new Sessions(System::nanoTime),
            Gatekeeper.Bounds.of(SluiceServerBuilder.DEFAULT_WRITES_PER_SECOND),
            new Gatekeeper.Place(
                Addresses.inUrl(address), () -> theServer[0].port(), Set.copyOf(settings.hosts)));
    web =
        new WebServer(
            new WebServer.Binding(address, settings.port, false),
            new HealthRoutes(settings.registry, settings.ready).routes(),
            new Dispatcher(gatekeeper, SMALLEST_BODY_BYTES));
    theServer[0] = web;
  }

  /** Puts a server together that shows what this registry measures. */
  public static MetricsServerBuilder builder(MeterRegistry registry) {
    return new MetricsServerBuilder(registry);
  }

  MetricsServer start() {
    try {
      web.start();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    return this;
  }

  /** Where it is: {@code http://127.0.0.1:9090}. */
  public String url() {
    return "http://" + Addresses.inUrl(address) + ":" + port();
  }

  /** The port it listens on. */
  public int port() {
    return web.port();
  }

  /** Stops; requests under way have five seconds to end. */
  @Override
  public void close() {
    try {
      web.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
