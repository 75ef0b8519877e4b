package dev.sluice.server.api;

import dev.sluice.server.view.DiagnosisView;
import dev.sluice.server.view.Problem;
import java.util.List;
import java.util.Optional;

/** The diagnosis. */
final class SystemRoutes {
  private static final String TAG = "system";

  private final Optional<Examinations> examinations;

  SystemRoutes(Backend backend) {
    examinations = backend.diagnose().map(Examinations::new);
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/doctor")
            .says(TAG, "What the latest examination of the store found; has a new one made if old.")
            .answers(DiagnosisView.class, "What was found; nothing until the first one is done.")
            .run(call -> Answer.ok(latest())));
  }

  private DiagnosisView latest() {
    return examinations
        .orElseThrow(() -> Problem.notFound("This server cannot examine its store."))
        .latest();
  }
}
