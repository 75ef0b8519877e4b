package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.object.ForwardingWorkerSession;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerSession;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A store that refuses an outcome although the lease of its worker lives: the two disagree on what
 * the worker holds, and the job would be held for as long as the worker lives.
 */
class RefusedOutcomeTest {
  private static final Task<Integer> TASK = Task.named("refused", Integer.class).build();

  private final AtomicBoolean refused = new AtomicBoolean();
  private final AtomicInteger reconciled = new AtomicInteger();
  private final AtomicInteger runs = new AtomicInteger();
  private final Sluice sluice = Sluice.open("memory:" + UUID.randomUUID());

  @AfterEach
  void close() {
    sluice.close();
  }

  private Worker start() {
    return WorkerRuntime.start(
        LongLease.environment(
            sluice,
            Mistaken::new,
            ElapsedClock.SYSTEM,
            Map.of(
                TASK.name(),
                new RegisteredTask<>(TASK, (number, context) -> runs.incrementAndGet()))));
  }

  @Test
  void outcomeRefusedUnderALivingLease_workerReconcilesOnceAndTheJobRunsAgain() {
    UUID job = sluice.submit(TASK, 1).id();
    try (Worker worker = start()) {
      String id = worker.id();
      await().until(() -> sluice.jobs().get(job).orElseThrow().state() == JobState.SUCCEEDED);

      assertThat(refused).isTrue();
      assertThat(runs).hasValue(2);
      assertThat(reconciled).hasValue(1);
      assertThat(worker.id()).isEqualTo(id);
    }
  }

  /** Tells the store of the first outcome under a token that is not the job's. */
  private final class Mistaken extends ForwardingWorkerSession {
    Mistaken(WorkerSession session) {
      super(session);
    }

    @Override
    public Standing reconcile(Map<UUID, Long> known) {
      reconciled.incrementAndGet();
      return super.reconcile(known);
    }

    @Override
    public Exchange.Answer exchange(Exchange exchange) {
      return super.exchange(mistaken(exchange));
    }

    private Exchange mistaken(Exchange exchange) {
      if (exchange.outcomes().isEmpty() || refused.getAndSet(true)) {
        return exchange;
      }
      List<JobOutcome> outcomes =
          exchange.outcomes().stream()
              .map(said -> new JobOutcome(said.id(), said.token() + 1, said.verdict(), said.ran()))
              .toList();
      return new Exchange(
          outcomes,
          exchange.started(),
          exchange.progress(),
          exchange.released(),
          exchange.demand());
    }
  }
}
