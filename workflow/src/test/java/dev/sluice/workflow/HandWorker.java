package dev.sluice.workflow;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** A worker moved by hand, which remembers what it ran and how often. */
public final class HandWorker implements AutoCloseable {
  /** The task whose jobs fail. */
  static final String FAILING = "bad";

  private final WorkerSession session;
  private final List<TaskDemand> tasks;
  final Map<UUID, Integer> ran = new HashMap<>();

  public HandWorker(JobStore store, String... tasks) {
    this("default", store, tasks);
  }

  /** One of another queue. */
  static HandWorker ofQueue(JobStore store, String queue, String... tasks) {
    return new HandWorker(queue, store, tasks);
  }

  private HandWorker(String queue, JobStore store, String... tasks) {
    session =
        store.openSession(
            new WorkerRegistration(
                "hand", Set.of(queue), Set.of(tasks), Map.of(), Duration.ofMinutes(5)));
    session.reconcile(Map.of());
    this.tasks = List.of(tasks).stream().map(task -> new TaskDemand(task, 1_000, 0)).toList();
  }

  /** Claims what there is; these jobs are running now. */
  public List<ClaimedJob> claim() {
    List<ClaimedJob> claimed = new ArrayList<>();
    List<ClaimedJob> some;
    do {
      some = exchange(List.of(), new Demand(1_000, tasks, Map.of()));
      claimed.addAll(some);
    } while (!some.isEmpty());
    return claimed;
  }

  /** Ends these, each with its number as result. */
  public void finish(List<ClaimedJob> jobs) {
    List<JobOutcome> outcomes = new ArrayList<>();
    for (ClaimedJob job : jobs) {
      ran.merge(job.id(), 1, Integer::sum);
      outcomes.add(new JobOutcome(job.id(), job.token(), verdict(job), Duration.ZERO));
    }
    exchange(outcomes, Demand.NONE);
  }

  private static JobOutcome.Verdict verdict(ClaimedJob job) {
    return job.task().equals(FAILING)
        ? new JobOutcome.Failed(new JobOutcome.Failure("Bad", "bad luck", ""))
        : new JobOutcome.Succeeded(Optional.of("[1,2,3,4,5]"));
  }

  private List<ClaimedJob> exchange(List<JobOutcome> outcomes, Demand demand) {
    Exchange.Answer answer =
        session.exchange(new Exchange(outcomes, Set.of(), Map.of(), List.of(), demand));
    if (answer.stale()) {
      session.reconcile(Map.of());
      return exchange(List.of(), demand);
    }
    return answer.jobs();
  }

  @Override
  public void close() {
    session.close();
  }
}
