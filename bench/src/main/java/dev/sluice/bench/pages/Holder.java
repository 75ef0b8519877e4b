package dev.sluice.bench.pages;

import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.HeldSlot;
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

/**
 * A worker that has signed on with the store and claims jobs, which it then keeps or finishes; it
 * runs nothing. What it holds is what a worker with as many threads would hold.
 */
final class Holder implements AutoCloseable {
  /** Longer than any run of this: nobody renews it. */
  static final Duration LEASE = Duration.ofHours(3);

  private static final String STACK_TRACE =
      "\tat com.example.shop.PaymentClient.charge(PaymentClient.java:118)\n".repeat(20);

  private final WorkerSession session;
  private final Map<UUID, Long> kept = new HashMap<>();

  Holder(JobStore store, String name, WorkerRegistration like) {
    this.session =
        store.openSession(
            new WorkerRegistration(name, like.queues(), like.tasks(), like.limits(), LEASE));
    session.reconcile(Map.of());
  }

  /** Claims up to so many jobs of a task and keeps them running; how many it got. */
  int keep(String task, int most) {
    Exchange.Answer answer = claim(task, most);
    answer.jobs().forEach(job -> kept.put(job.id(), job.token()));
    return answer.jobs().size();
  }

  /** Claims up to so many jobs of a task and finishes them; how many it got. */
  int finish(String task, int most) {
    Exchange.Answer answer = claim(task, most);
    List<JobOutcome> outcomes = new ArrayList<>();
    List<HeldSlot> slots = answer.slots();
    for (ClaimedJob job : answer.jobs()) {
      outcomes.add(
          new JobOutcome(job.id(), job.token(), verdict(outcomes.size()), Duration.ofMillis(20)));
    }
    session.exchange(new Exchange(outcomes, Set.of(), Map.of(), slots, Exchange.Demand.NONE));
    return outcomes.size();
  }

  private Exchange.Answer claim(String task, int most) {
    Exchange asking =
        new Exchange(
            List.of(),
            Set.of(),
            Map.of(),
            List.of(),
            new Exchange.Demand(most, List.of(new Exchange.TaskDemand(task, most, 0)), Map.of()));
    Exchange.Answer answer = session.exchange(asking);
    while (answer.stale()) {
      session.reconcile(kept);
      answer = session.exchange(asking);
    }
    return answer;
  }

  private static JobOutcome.Verdict verdict(int number) {
    return switch (number % 100) {
      case 0 ->
          new JobOutcome.Failed(
              new JobOutcome.Failure(
                  "com.example.shop.PaymentDeclinedException",
                  "The card was declined.",
                  STACK_TRACE));
      case 1 -> new JobOutcome.Cancelled();
      default -> new JobOutcome.Succeeded(Optional.of("{\"ok\":true}"));
    };
  }

  @Override
  public void close() {
    session.close();
  }
}
