package dev.sluice.object.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.object.state.Claiming.Claimant;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LimitRulesTest {
  private static final String WORKER = "worker";
  private static final String KEY = "mail/a";

  private final Map<String, Segment> segments = new HashMap<>();
  private final ShardDraft draft = new ShardDraft(ShardState.EMPTY, segments::get, 1_000, 1_000);

  /**
   * A job of a key ran without a limit when another brought one along for the key: the second
   * started beside the first, because the first had no slot.
   */
  @Test
  void firstLimitOfKey_broughtByJob_adoptsWhatRuns() {
    long rules =
        WorkerStanding.register(draft, WORKER, new WorkerEntry("", Set.of("mail"), Map.of(), 0));
    submit(1, new JobRecord.Bond(List.of(KEY), null, null, false));
    assertThat(claim(rules)).hasSize(1);

    submit(2, new JobRecord.Bond(List.of(KEY), KEY, 1, false));
    assertThat(Slots.of(draft, KEY)).hasSize(1);
    assertThat(claim(WorkerStanding.rulesVersion(draft))).isEmpty();
  }

  private void submit(int number, JobRecord.Bond bond) {
    JobRecord job =
        new JobRecord(
            new UUID(0, number),
            new JobRecord.Spec(
                "mail",
                new JobRecord.Place("default", 0),
                new JobRecord.Timing(1, 1, null),
                bond,
                JobRecord.Entry.FREE,
                "0"),
            JobRecord.Past.NONE);
    String key = new SegmentKeys.Submitted("producer", number, false).key();
    segments.put(key, new Segment(key, List.of(job)));
    Admission.admit(draft, segments.get(key), (ids, since) -> Set.of());
  }

  private List<ClaimedJob> claim(long rules) {
    Demand demand = new Demand(1, List.of(new TaskDemand("mail", 1, 0)), Map.of());
    Exchange exchange = new Exchange(List.of(), Set.of(), Map.of(), List.of(), demand);
    Claimant claimant =
        new Claimant(
            WORKER, Set.of("default"), group -> Long.MIN_VALUE, new Waits(Waits.PASSED_OVER));
    return WorkerStanding.exchange(draft, claimant, rules, exchange).jobs();
  }
}
