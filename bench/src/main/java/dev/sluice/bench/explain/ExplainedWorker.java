package dev.sluice.bench.explain;

import dev.sluice.SubmitOptions;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A worker that claims a batch and completes it, one exchange each, as a worker of short jobs does:
 * it buffers behind each slot what fills the batch.
 */
final class ExplainedWorker implements AutoCloseable {
  private static final Duration LEASE = Duration.ofHours(1);
  private static final int SLOTS = 10;

  private final PlanRecorder recorder;
  private final WorkerSession session;
  private final int batch;

  ExplainedWorker(PlanRecorder recorder, JobStore store, SetUp setUp, int batch) {
    this.recorder = recorder;
    this.batch = batch;
    this.session =
        store.openSession(
            new WorkerRegistration(
                "explain",
                Set.of(SubmitOptions.DEFAULT_QUEUE),
                Set.copyOf(SetUp.TASKS),
                setUp.limits(),
                LEASE));
    reconcile();
  }

  /** Agrees with the store on the limits. */
  void reconcile() {
    session.reconcile(Map.of());
  }

  /** Claims a batch and completes it: two steps. */
  List<Step> turn() {
    Exchange.Answer[] answers = new Exchange.Answer[2];
    List<StatementPlan> claim = recorder.record(() -> answers[0] = session.exchange(claiming()));
    Exchange completing = completing(answers[0]);
    List<StatementPlan> completion =
        recorder.record(() -> answers[1] = session.exchange(completing));
    return List.of(
        new Step("claim", answers[0].jobs().size(), claim),
        new Step("completion", answers[1].accepted().size(), completion));
  }

  private Exchange claiming() {
    int depth = Math.max(0, batch / SLOTS - 1);
    List<Exchange.TaskDemand> tasks =
        SetUp.TASKS.stream().map(task -> new Exchange.TaskDemand(task, batch, depth)).toList();
    return new Exchange(
        List.of(), Set.of(), Map.of(), List.of(), new Exchange.Demand(batch, tasks, Map.of()));
  }

  private static Exchange completing(Exchange.Answer claimed) {
    List<JobOutcome> outcomes =
        claimed.jobs().stream()
            .map(
                job ->
                    new JobOutcome(
                        job.id(),
                        job.token(),
                        new JobOutcome.Succeeded(Optional.empty()),
                        Duration.ofMillis(1)))
            .toList();
    return new Exchange(outcomes, Set.of(), Map.of(), claimed.slots(), Exchange.Demand.NONE);
  }

  @Override
  public void close() {
    session.close();
  }
}
