package dev.sluice.server.api;

import dev.sluice.Alert;
import dev.sluice.server.live.EventFeed;
import dev.sluice.server.live.Snapshot;
import dev.sluice.server.security.Gatekeeper;
import dev.sluice.server.view.AlertView;
import dev.sluice.server.view.OverviewView;
import dev.sluice.server.view.Paged;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.SeriesView;
import io.javalin.http.Context;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** What is going on: the overview, the last minutes, and the stream of events. */
final class LiveRoutes {
  private static final String TAG = "live";

  private final Backend backend;
  private final Overviews overviews;
  private final EventFeed feed;
  private final Gatekeeper gatekeeper;

  LiveRoutes(Backend backend, Routes.Parts parts) {
    this.backend = backend;
    overviews = parts.overviews();
    feed = parts.feed();
    gatekeeper = parts.gatekeeper();
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/overview")
            .says(TAG, "The whole system at a glance, as last sampled.")
            .answers(OverviewView.class, "The latest sample.")
            .run(call -> Answer.ok(overviews.of(snapshot(backend)))),
        Route.get("/api/v1/alerts")
            .says(TAG, "What keeps jobs from getting done, as last sampled.")
            .answers(
                Reply.page(
                    AlertView.class,
                    "The worst first, %d at most; none if all is well.".formatted(Alert.MOST)))
            .run(
                call ->
                    Answer.ok(
                        Paged.of(snapshot(backend).alerts().stream().map(AlertView::of).toList()))),
        Route.get("/api/v1/series")
            .says(TAG, "The last fifteen minutes.")
            .answers(SeriesView.class, "Samples, oldest first.")
            .run(call -> Answer.ok(backend.sampler().series())),
        Route.get("/api/v1/events")
            .says(TAG, "Server-sent events: state, group, job, limit.")
            .takes(
                Parameter.query(
                    "topics", "string", "Which, separated by commas; default: all of them."))
            .answers(Reply.other(200, "text/event-stream", "A stream without end."))
            .run(this::watch));
  }

  static Snapshot snapshot(Backend backend) {
    return backend
        .sampler()
        .latest()
        .orElseThrow(
            () ->
                new Problem(503, "The store has not answered yet; try again.")
                    .header("Retry-After", "2"));
  }

  private Answer watch(Call call) {
    Set<String> topics = new HashSet<>(EventFeed.TOPICS);
    call.query("topics").ifPresent(text -> topics.retainAll(Arrays.asList(text.split(","))));
    if (topics.isEmpty()) {
      throw Problem.badRequest(
          "'topics' must name some of: " + String.join(", ", EventFeed.TOPICS) + ".");
    }
    Context context = call.context();
    if (context.req().getMethod().equals("HEAD")) {
      return Answer.text(200, "text/event-stream", "");
    }
    feed.requireRoom();
    context.disableCompression();
    context.future(() -> stream(context, topics, gatekeeper.lasting(call.incoming())));
    return Answer.STREAMED;
  }

  private CompletableFuture<Void> stream(
      Context context, Set<String> topics, BooleanSupplier allowed) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    context.res().setContentType("text/event-stream");
    context.res().setCharacterEncoding("UTF-8");
    context.res().setHeader("Cache-Control", "no-store");
    context.res().setHeader("X-Accel-Buffering", "no");
    HttpServletRequest request = context.req();
    try {
      feed.watch(
          topics,
          context.res().getOutputStream(),
          new EventFeed.Hooks(allowed, () -> cut(request), () -> ended.complete(null)),
          backend.sampler().peek().orElse(null));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ended;
  }

  /** Nothing gentler helps: what waits to be written has to be thrown away. */
  private static void cut(HttpServletRequest request) {
    Connections.of(request).close();
  }
}
