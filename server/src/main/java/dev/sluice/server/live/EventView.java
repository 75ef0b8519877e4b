package dev.sluice.server.live;

import dev.sluice.server.view.Maybe;
import java.time.Instant;
import java.util.UUID;

/** Something that happened to a job on a worker. */
public record EventView(
    Instant at,
    String what,
    @Maybe UUID job,
    String task,
    String worker,
    String workerName,
    @Maybe String detail) {
  static EventView of(Bulletins.WorkerEvent seen) {
    return new EventView(
        seen.event().at(),
        seen.event().what(),
        seen.event().job().orElse(null),
        seen.event().task(),
        seen.worker().id(),
        seen.worker().name(),
        seen.event().detail().isEmpty() ? null : seen.event().detail());
  }
}
