package dev.sluice.server.api;

import dev.sluice.server.live.EventFeed;
import dev.sluice.server.security.Gatekeeper;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** The table of all routes. */
public final class Routes {
  private Routes() {}

  /**
   * What else the routes need.
   *
   * @param overviews puts the overview together
   * @param feed the stream of events
   * @param gatekeeper who is let in
   * @param registry what is measured
   * @param secureCookies whether cookies go over TLS only
   */
  public record Parts(
      Overviews overviews,
      EventFeed feed,
      Gatekeeper gatekeeper,
      MeterRegistry registry,
      boolean secureCookies) {}

  /** Every route. */
  public static List<Route> of(Backend backend, Parts parts) {
    List<Route> routes = new ArrayList<>();
    routes.addAll(new LiveRoutes(backend, parts).routes());
    routes.addAll(new SubmitRoutes(backend).routes());
    routes.addAll(new JobRoutes(backend).routes());
    routes.addAll(new GroupRoutes(backend).routes());
    routes.addAll(new PermitRoutes(backend).routes());
    routes.addAll(new QueueRoutes(backend).routes());
    routes.addAll(new WorkerRoutes(backend).routes());
    routes.addAll(new WorkflowRoutes(backend).routes());
    routes.addAll(new ScheduleRoutes(backend.schedules()).routes());
    routes.addAll(new SessionRoutes(parts).routes());
    routes.addAll(new SystemRoutes(backend).routes());
    routes.addAll(new HealthRoutes(parts.registry, backend.sampler()::isReady).routes());
    routes.add(document(routes, parts.overviews.version()));
    return List.copyOf(routes);
  }

  /** The document describes itself, too. */
  private static Route document(List<Route> routes, String version) {
    Object[] written = new Object[1];
    Route self =
        Route.get("/api/v1/openapi.json")
            .says("system", "This document.")
            .answers(Reply.other(200, "application/json", "OpenAPI 3.1."))
            .run(call -> Answer.ok(written[0]));
    List<Route> all = new ArrayList<>(routes);
    all.add(self);
    written[0] = OpenApi.of(all, version);
    return self;
  }
}
