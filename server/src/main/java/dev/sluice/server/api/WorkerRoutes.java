package dev.sluice.server.api;

import dev.sluice.server.view.Paged;
import dev.sluice.server.view.WorkerView;
import java.util.List;

/** The workers. */
final class WorkerRoutes {
  private final Backend backend;

  WorkerRoutes(Backend backend) {
    this.backend = backend;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/workers")
            .says("workers", "Every worker that is signed on, with what it says about itself.")
            .answers(Reply.page(WorkerView.class, "All of them, longest signed on first."))
            .run(
                call ->
                    Answer.ok(
                        Paged.of(
                            backend.sluice().workers().list().stream()
                                .map(WorkerView::of)
                                .toList()))));
  }
}
