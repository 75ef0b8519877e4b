package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many requests a job takes, from submit to done. */
class RequestCountTest {
  private static final String TASK = "t";

  private final RequestMeter meter = new RequestMeter();
  private final JobStore store =
      ObjectStoreProvider.open(
          new PrefixedObjectStore(
              new InstrumentedObjectStore(
                  MemoryObjectStore.open(UUID.randomUUID().toString()), meter),
              "counted"),
          "counted",
          OptionalInt.empty());

  @AfterEach
  void close() {
    store.close();
  }

  private WorkerSession worker(Map<Group, Integer> limits) {
    return store.openSession(
        new WorkerRegistration(
            "counted", Set.of("default"), Set.of(TASK), limits, Duration.ofMinutes(1)));
  }

  private static NewJob job() {
    return new NewJob(
        new NewJob.Identity(UUID.randomUUID(), false, Optional.empty()),
        TASK,
        new NewJob.Place("default", 0),
        new NewJob.Timing(Optional.empty(), Duration.ZERO, Optional.empty()),
        new NewJob.Concurrency(List.of(), Optional.empty(), OptionalInt.empty(), OnLimit.WAIT),
        "0");
  }

  private static Answer exchange(
      WorkerSession session, List<ClaimedJob> done, List<HeldSlot> released, Demand demand) {
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
    return session.exchange(new Exchange(outcomes, Set.of(), Map.of(), released, demand));
  }

  private static Demand demand(int jobs, Map<String, Integer> spare) {
    return new Demand(jobs, List.of(new TaskDemand(TASK, jobs, 0)), spare);
  }

  @Test
  void loneJob_takesAtMostTwelveRequests() {
    WorkerSession session = worker(Map.of(Group.of(TASK), 1));
    RequestReport before = meter.report();

    store.submit(List.of(job()));
    Answer claimed = exchange(session, List.of(), List.of(), demand(4, Map.of()));
    assertThat(claimed.jobs()).hasSize(1);
    exchange(session, claimed.jobs(), claimed.slots(), Demand.NONE);
    session.close();
    store.close();

    RequestReport taken = meter.report().since(before);
    System.out.println("A lone job took " + taken);
    assertThat(taken.requests()).isLessThanOrEqualTo(12);
  }

  @Test
  void manyLimitedJobs_takeFarLessThanOneRequestEach() {
    int jobs = 10_000;
    WorkerSession session = worker(Map.of(Group.of(TASK), 1_000));
    RequestReport before = meter.report();
    for (int i = 0; i < jobs; i += 100) {
      List<NewJob> batch = new ArrayList<>();
      for (int j = 0; j < 100; j++) {
        batch.add(job());
      }
      store.submit(batch);
    }
    Answer answer = exchange(session, List.of(), List.of(), demand(1_000, Map.of()));
    assertThat(answer.jobs()).hasSize(1_000);
    while (!answer.jobs().isEmpty()) {
      answer = exchange(session, answer.jobs(), List.of(), demand(1_000, Map.of(TASK, 1_000)));
    }
    assertThat(store.jobs().counts()).containsEntry(JobState.SUCCEEDED, (long) jobs);

    RequestReport taken = meter.report().since(before);
    double each = taken.requests() / (double) jobs;
    System.out.printf(
        "%.3f requests and %.2f dollars per million jobs%n",
        each, taken.dollars() * 1_000_000 / jobs);
    assertThat(each).isLessThan(1);
  }
}
