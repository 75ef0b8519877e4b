package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.OnLimit;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.WorkerRegistration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/** What tests say to a store, as a worker and a submitter would. */
final class StoreCalls {
  private static final String QUEUE = "default";

  private StoreCalls() {}

  static NewJob job(String task) {
    return job(task, List.of(), OptionalInt.empty());
  }

  /** A job in these groups, with a limit for the first of them. */
  static NewJob job(String task, List<Group> groups, OptionalInt limit) {
    return new NewJob(
        new NewJob.Identity(UUID.randomUUID(), false, Optional.empty()),
        task,
        new NewJob.Place(QUEUE, 0),
        new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
        new NewJob.Concurrency(
            groups,
            limit.isPresent() ? Optional.of(groups.get(0)) : Optional.empty(),
            limit,
            OnLimit.WAIT),
        "0");
  }

  static WorkerRegistration worker(Set<String> tasks, Map<Group, Integer> limits) {
    return new WorkerRegistration("test", Set.of(QUEUE), tasks, limits, Duration.ofMinutes(1));
  }

  static Demand demand(String task, int jobs, Map<String, Integer> spare) {
    return new Demand(jobs, List.of(new TaskDemand(task, jobs, 0)), spare);
  }

  /** Asks for jobs, and says nothing else. */
  static Exchange ask(String task, int jobs) {
    return report(List.of(), demand(task, jobs, Map.of()));
  }

  /** Says that these have succeeded, and asks for more. */
  static Exchange report(List<ClaimedJob> done, Demand demand) {
    List<JobOutcome> outcomes =
        done.stream()
            .map(
                job ->
                    new JobOutcome(
                        job.id(),
                        job.token(),
                        new JobOutcome.Succeeded(Optional.empty()),
                        Duration.ofMillis(1)))
            .toList();
    return new Exchange(outcomes, Set.of(), Map.of(), List.of(), demand);
  }
}
