package dev.sluice.object;

import dev.sluice.OnLimit;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Takes jobs that do nothing from submit to the archive in a folder of its own, which it removes,
 * and counts the requests that takes. What a worker does only once, at its start, is not counted.
 */
final class TrialJobs {
  private static final String TASK = "trial";
  private static final String QUEUE = "default";

  private final ObjectStore objects;
  private final RequestMeter meter;

  /** Trials on these objects, whose requests this meter counts. */
  TrialJobs(ObjectStore objects, RequestMeter meter) {
    this.objects = objects;
    this.meter = meter;
  }

  /** The requests of so many jobs that are submitted, claimed and reported together. */
  RequestReport run(int jobs) {
    String folder = "trial-" + UUID.randomUUID();
    try {
      JobStore store =
          ObjectStoreProvider.open(
              PrefixedObjectStore.borrowing(objects, folder), folder, OptionalInt.empty());
      RequestReport before;
      try (store) {
        WorkerSession session =
            store.openSession(
                new WorkerRegistration(
                    "trial", Set.of(QUEUE), Set.of(TASK), Map.of(), Duration.ofMinutes(1)));
        before = meter.report();
        store.submit(Stream.generate(TrialJobs::job).limit(jobs).toList());
        List<ClaimedJob> claimed = claim(session, jobs);
        if (claimed.size() != jobs) {
          throw new StoreUnavailableException(
              "Of %d jobs that were submitted to %s, %d could be claimed. Is another process removing objects?"
                  .formatted(jobs, objects, claimed.size()));
        }
        report(session, claimed);
        session.close();
      }
      return meter.report().since(before);
    } finally {
      objects.deleteAll(objects.listAll(folder + "/").stream().map(ListedObject::key).toList());
    }
  }

  private static List<ClaimedJob> claim(WorkerSession session, int jobs) {
    Demand demand = new Demand(jobs, List.of(new TaskDemand(TASK, jobs, 0)), Map.of());
    return session.exchange(new Exchange(List.of(), Set.of(), Map.of(), List.of(), demand)).jobs();
  }

  private static void report(WorkerSession session, List<ClaimedJob> done) {
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
    session.exchange(new Exchange(outcomes, Set.of(), Map.of(), List.of(), Demand.NONE));
  }

  private static NewJob job() {
    return new NewJob(
        new NewJob.Identity(UUID.randomUUID(), false, Optional.empty()),
        TASK,
        new NewJob.Place(QUEUE, 0),
        new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
        new NewJob.Concurrency(List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
        "{}");
  }
}
