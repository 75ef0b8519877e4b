package dev.sluice.server.api;

import dev.sluice.Queues;
import dev.sluice.server.view.Paged;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.QueueView;
import java.util.List;

/** Queues: see, pause and resume them. */
final class QueueRoutes {
  private static final String TAG = "queues";
  private static final int LONGEST = 200;
  private static final Parameter QUEUE =
      Parameter.query("queue", "string", "The queue, whatever its name contains.").mandatory();

  private final Backend backend;

  QueueRoutes(Backend backend) {
    this.backend = backend;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/queues")
            .says(TAG, "Every queue that has unfinished jobs or is paused, as last sampled.")
            .answers(Reply.page(QueueView.class, "All of them."))
            .run(call -> Answer.ok(Paged.of(LiveRoutes.snapshot(backend).queues()))),
        Route.post("/api/v1/queue/pause")
            .says(TAG, "Start no more jobs of a queue; running ones go on.")
            .takes(QUEUE)
            .answers(QueueView.class, "The queue.")
            .run(call -> change(call, call.required("queue"), true)),
        Route.post("/api/v1/queue/resume")
            .says(TAG, "Start jobs of a queue again.")
            .takes(QUEUE)
            .answers(QueueView.class, "The queue.")
            .run(call -> change(call, call.required("queue"), false)));
  }

  private Answer change(Call call, String name, boolean pause) {
    call.subject(name);
    if (name.isBlank() || name.length() > LONGEST) {
      throw Problem.badRequest("The name of a queue has 1 to %d characters.".formatted(LONGEST));
    }
    Queues queues = backend.sluice().queues();
    if (pause) {
      queues.pause(name);
    } else {
      queues.resume(name);
    }
    return Answer.ok(
        queues.list().stream()
            .filter(queue -> queue.name().equals(name))
            .map(queue -> QueueView.of(queue, backend.storeTime()))
            .findFirst()
            .orElseGet(() -> QueueView.empty(name)));
  }
}
