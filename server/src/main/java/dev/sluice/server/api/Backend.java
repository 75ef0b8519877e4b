package dev.sluice.server.api;

import dev.sluice.Diagnosis;
import dev.sluice.Sluice;
import dev.sluice.schedule.Schedules;
import dev.sluice.server.live.Sampler;
import dev.sluice.server.live.Snapshot;
import dev.sluice.workflow.Workflows;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the routes work on.
 *
 * @param sluice jobs and limits
 * @param workflows workflows
 * @param schedules schedules
 * @param sampler the latest sample
 * @param diagnose examines the store; empty = nobody can here
 * @param costly bounds what makes the store search
 */
public record Backend(
    Sluice sluice,
    Workflows workflows,
    Schedules schedules,
    Sampler sampler,
    Optional<Supplier<Diagnosis>> diagnose,
    CostlyCalls costly) {

  /** The name of a worker, if it was there when last looked; null if not. */
  String workerName(Optional<String> id) {
    return id.flatMap(known -> sampler.peek().flatMap(s -> s.workerName(known))).orElse(null);
  }

  /** The time by the store's clock, about. */
  Instant storeTime() {
    return Instant.now().plus(sampler.peek().map(Snapshot::storeAhead).orElse(Duration.ZERO));
  }

  /** What happened at groups lately, by canonical name. */
  Map<String, dev.sluice.server.view.GroupView.Traffic> traffic() {
    return sampler.peek().map(Snapshot::traffic).orElse(Map.of());
  }
}
