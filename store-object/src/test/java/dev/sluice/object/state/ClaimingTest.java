package dev.sluice.object.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.object.state.Claiming.Claimant;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClaimingTest {
  private static final Claimant CLAIMANT =
      new Claimant(
          "worker", Set.of("default"), group -> Long.MIN_VALUE, new Waits(Waits.PASSED_OVER));
  private static final Demand ONE = new Demand(1, List.of(new TaskDemand("mail", 1, 0)), Map.of());

  private final Map<String, Segment> segments = new HashMap<>();
  private final ShardDraft draft = new ShardDraft(ShardState.EMPTY, segments::get, 1_000, 1_000);
  private final long rules =
      WorkerStanding.register(draft, "worker", new WorkerEntry("", Set.of("mail"), Map.of(), 0));

  private Answer exchange(List<JobOutcome> outcomes) {
    return WorkerStanding.exchange(
        draft, CLAIMANT, rules, new Exchange(outcomes, Set.of(), Map.of(), List.of(), ONE));
  }

  private static JobOutcome handedBack(ClaimedJob job) {
    return new JobOutcome(job.id(), job.token(), new JobOutcome.HandedBack(), Duration.ZERO);
  }

  /** A worker that did not hear that it had got the job again ran it under no claim at all. */
  @Test
  void jobHandedBack_isNotGivenToItsWorkerInTheSameStep() {
    JobRecord job =
        new JobRecord(
            new UUID(0, 1),
            new JobRecord.Spec(
                "mail",
                new JobRecord.Place("default", 0),
                new JobRecord.Timing(1, 1, null),
                JobRecord.Bond.NONE,
                JobRecord.Entry.FREE,
                "0"),
            JobRecord.Past.NONE);
    String key = new SegmentKeys.Submitted("producer", 1, false).key();
    segments.put(key, new Segment(key, List.of(job)));
    Admission.admit(draft, segments.get(key), (ids, since) -> Set.of());
    ClaimedJob claimed = exchange(List.of()).jobs().get(0);

    Answer answer = exchange(List.of(handedBack(claimed)));

    assertThat(answer.accepted()).containsExactly(claimed.id());
    assertThat(answer.jobs()).isEmpty();
    assertThat(answer.nextDue()).as("asks again at once").contains(Duration.ZERO);
    assertThat(exchange(List.of()).jobs()).hasSize(1);
  }
}
