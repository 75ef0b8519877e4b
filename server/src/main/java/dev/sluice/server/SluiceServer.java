package dev.sluice.server;

import dev.sluice.Sluice;
import dev.sluice.schedule.Schedules;
import dev.sluice.server.api.Backend;
import dev.sluice.server.api.CostlyCalls;
import dev.sluice.server.api.Dispatcher;
import dev.sluice.server.api.Overviews;
import dev.sluice.server.api.Route;
import dev.sluice.server.api.Routes;
import dev.sluice.server.live.EventFeed;
import dev.sluice.server.live.Sampler;
import dev.sluice.server.live.ViolationWatch;
import dev.sluice.server.security.AccessTokens;
import dev.sluice.server.security.Gatekeeper;
import dev.sluice.server.security.Sessions;
import dev.sluice.server.web.WebServer;
import dev.sluice.workflow.Workflows;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server: the HTTP API, the dashboard, metrics and health of one {@link Sluice}.
 * Thread-safe. Close it before the Sluice.
 *
 * <pre>{@code
 * try (SluiceServer server = SluiceServer.builder(sluice).port(8484).start()) {
 *   System.out.println(server.url());
 *   ...
 * }
 * }</pre>
 */
public final class SluiceServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SluiceServer.class);
  private static final int BODY_MARGIN_BYTES = 64 * 1024;

  private final String address;
  private final Sampler sampler;
  private final ViolationWatch violations;
  private final EventFeed feed;
  private final WebServer web;
  private final Optional<Workflows> ownWorkflows;
  private final List<Route> routes;

  SluiceServer(SluiceServerBuilder settings) {
    Sluice sluice = settings.sluice;
    address = settings.address;
    AccessTokens tokens = new AccessTokens(settings.tokens);
    Addresses.requireTokens(address, tokens);
    violations = new ViolationWatch(sluice.concurrency());
    // The feed shows what the sampler has, and the sampler tells the feed: one comes first.
    Sampler[] theSampler = new Sampler[1];
    Overviews overviews =
        new Overviews(
            settings.store, settings.version, violations::count, () -> theSampler[0].staleSince());
    feed = new EventFeed(overviews::of);
    sampler = new Sampler(sluice, settings.thresholds, feed);
    theSampler[0] = sampler;
    ownWorkflows =
        settings.workflows.isPresent() ? Optional.empty() : Optional.of(Workflows.on(sluice));
    WebServer[] theServer = new WebServer[1];
    Gatekeeper gatekeeper =
        new Gatekeeper(
            tokens,
            new Sessions(System::nanoTime),
            Gatekeeper.Bounds.of(settings.writesPerSecond),
            new Gatekeeper.Place(
                Addresses.inUrl(address), () -> theServer[0].port(), Set.copyOf(settings.hosts)));
    Backend backend =
        new Backend(
            sluice,
            settings.workflows.or(() -> ownWorkflows).orElseThrow(),
            settings.schedules.orElseGet(() -> Schedules.on(sluice)),
            sampler,
            settings.diagnose,
            new CostlyCalls());
    routes =
        Routes.of(
            backend,
            new Routes.Parts(
                overviews, feed, gatekeeper, settings.registry, settings.secureCookies));
    Dispatcher dispatcher =
        new Dispatcher(gatekeeper, sluice.maxPayloadBytes() + BODY_MARGIN_BYTES);
    web = new WebServer(new WebServer.Binding(address, settings.port, true), routes, dispatcher);
    theServer[0] = web;
  }

  /** Puts a server together. */
  public static SluiceServerBuilder builder(Sluice sluice) {
    return new SluiceServerBuilder(sluice);
  }

  SluiceServer start() {
    try {
      sampler.start();
      violations.start();
      // Counting a large store for the first time takes a while: nobody should wait for that.
      sampler.latest();
      web.start();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    log.info("The server listens on {}.", url());
    return this;
  }

  /** Where it is: {@code http://127.0.0.1:8484}. */
  public String url() {
    return "http://" + Addresses.inUrl(address) + ":" + port();
  }

  /** The port it listens on. */
  public int port() {
    return web.port();
  }

  /** How many watch the stream of events. */
  int streams() {
    return feed.size();
  }

  List<Route> routes() {
    return routes;
  }

  /**
   * Stops: no more requests are taken, streams end, and requests under way have five seconds to
   * end. Does not close the Sluice.
   */
  @Override
  public void close() {
    // An interrupt must not keep any part open, so it is put aside until all are closed.
    boolean interrupted = Thread.interrupted();
    AutoCloseable[] parts = {
      feed, web, sampler, violations, () -> ownWorkflows.ifPresent(Workflows::close)
    };
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (Exception e) {
        log.warn("A part of the server could not be closed.", e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
