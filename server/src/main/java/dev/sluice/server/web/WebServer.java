package dev.sluice.server.web;

import dev.sluice.SluiceException;
import dev.sluice.server.api.Dispatcher;
import dev.sluice.server.api.Route;
import dev.sluice.server.security.SecurityHeaders;
import dev.sluice.server.view.Problem;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.javalin.util.JavalinBindException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves routes and the dashboard over HTTP, within bounds. */
public final class WebServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebServer.class);
  private static final int MOST_CONNECTIONS = 1_000;
  private static final int MOST_THREADS = 64;
  private static final int FEWEST_THREADS = 8;
  private static final int THREAD_IDLE_MILLIS = 60_000;
  private static final int HEADER_BYTES = 16_384;
  private static final int SEND_BUFFER_BYTES = 128 * 1024;
  private static final int MOST_UNREAD = 16;
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

  private final Binding binding;
  private final List<Route> routes;
  private final Dispatcher dispatcher;
  private final DashboardFiles files = new DashboardFiles();
  private final SlowClients slowClients = new SlowClients(PATIENCE);
  private final InFlight inFlight = new InFlight();
  private final Javalin javalin;

  /**
   * Where a server listens, and whether it also serves the dashboard.
   *
   * @param port 0 = any that is free
   */
  public record Binding(String address, int port, boolean dashboard) {}

  /** A server that is not started yet. */
  public WebServer(Binding binding, List<Route> routes, Dispatcher dispatcher) {
    this.binding = binding;
    this.routes = routes;
    this.dispatcher = dispatcher;
    javalin = Javalin.create(this::configure);
  }

  /**
   * Starts to listen.
   *
   * @throws SluiceException if it cannot at that address and port
   */
  public void start() {
    try {
      javalin.start();
    } catch (JavalinBindException e) {
      throw new SluiceException(
          "The server cannot listen on %s:%d: the port is in use, or the address is not one of this machine. Choose another port, or 0 for any that is free."
              .formatted(binding.address, binding.port),
          e);
    }
  }

  /** The port it listens on. */
  public int port() {
    return javalin.port();
  }

  private void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.prefer405over404 = true;
    config.router.ignoreTrailingSlashes = false;
    QueuedThreadPool threads =
        new QueuedThreadPool(MOST_THREADS, FEWEST_THREADS, THREAD_IDLE_MILLIS);
    threads.setName("sluice-server");
    config.jetty.threadPool = threads;
    config.jetty.modifyHttpConfiguration(WebServer::bound);
    config.jetty.addConnector(this::connector);
    config.jetty.modifyServer(
        server -> {
          server.setErrorHandler(new ProblemErrorHandler());
          server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, server));
        });
    config.jetty.modifyServletContextHandler(
        handler -> handler.setErrorHandler(new ProblemErrorHandler()));
    routes(config);
  }

  private static void bound(HttpConfiguration http) {
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    // What was refused is not read to its end: the connection is closed instead.
    http.setMaxUnconsumedRequestContentReads(MOST_UNREAD);
  }

  private ServerConnector connector(Server server, HttpConfiguration http) {
    ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost(binding.address);
    connector.setPort(binding.port);
    connector.setIdleTimeout(IDLE.toMillis());
    // Otherwise the system keeps megabytes for each client that does not read.
    connector.setAcceptedSendBufferSize(SEND_BUFFER_BYTES);
    connector.addBean(slowClients);
    return connector;
  }

  private void routes(JavalinConfig config) {
    config.routes.before(context -> SecurityHeaders.ALL.forEach(context::header));
    for (Route route : routes) {
      HandlerType type = new HandlerType(route.method().name());
      config.routes.addHttpHandler(type, route.path(), context -> answer(route, context));
      if (!route.method().isWrite()) {
        config.routes.head(route.path(), context -> answer(route, context));
      }
    }
    if (binding.dashboard) {
      config.routes.get("/", files::page);
      config.routes.head("/", files::page);
      config.routes.get(
          "/assets/<name>", context -> files.asset(context, context.pathParam("name")));
    }
    config.routes.exception(HttpResponseException.class, this::refuse);
    config.routes.exception(
        Exception.class, (e, context) -> write(context, Dispatcher.problem(e, true)));
    config.router.javaLangErrorHandler(
        (response, error) -> {
          log.error("A request failed.", error);
          response.setStatus(500);
        });
  }

  private void answer(Route route, Context context) throws IOException {
    if (!inFlight.enter()) {
      Dispatcher.write(
          context, new Problem(503, "The server is stopping.").header("Retry-After", "5"));
      return;
    }
    dispatcher.dispatch(route, context, inFlight::leave);
  }

  private void refuse(HttpResponseException e, Context context) {
    if (e.getStatus() == 405) {
      write(
          context,
          new Problem(405, "Use one of: %s.".formatted(String.join(", ", allowed(context))))
              .header("Allow", String.join(", ", allowed(context))));
    } else if (e.getStatus() == 404) {
      write(
          context,
          Problem.notFound(
              binding.dashboard
                  ? "There is nothing here; see /api/v1/openapi.json."
                  : "There is nothing here."));
    } else {
      write(context, new Problem(e.getStatus(), "The request was refused."));
    }
  }

  private Set<String> allowed(Context context) {
    Set<String> methods = new TreeSet<>();
    for (Route route : routes) {
      String pattern = route.path().replaceAll("\\{\\w+}", "[^/]+").replace(".", "\\.");
      if (context.path().matches(pattern)) {
        methods.add(route.method().name());
      }
    }
    if (methods.isEmpty() || methods.contains("GET")) {
      methods.add("GET");
      methods.add("HEAD");
    }
    return methods;
  }

  private static void write(Context context, Problem problem) {
    try {
      Dispatcher.write(context, problem);
    } catch (IOException e) {
      throw new IllegalStateException("A problem could not be written", e);
    }
  }

  /** Takes no more requests, lets those under way end for a moment, and stops. */
  @Override
  public void close() throws InterruptedException {
    try {
      inFlight.drain(LAST_ANSWERS);
    } finally {
      slowClients.close();
      javalin.stop();
    }
  }
}
