package dev.sluice.cli.watch;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.WorkerInfo;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks at a system again and again, and compares. Not thread-safe. */
public final class TopView {
  private static final int MOST_GROUPS = 200;

  /** Workers report every other second: over less than this, rates would be guesswork. */
  private static final long WINDOW = Duration.ofSeconds(6).toNanos();

  private record Sample(long nanos, List<WorkerInfo> workers) {}

  private final Sluice sluice;
  private final String store;
  private final Deque<Sample> samples = new ArrayDeque<>();

  public TopView(Sluice sluice, String store) {
    this.sluice = sluice;
    this.store = store;
  }

  /**
   * What was seen.
   *
   * @param store the store, without secrets
   * @param counts jobs by state
   * @param workers who is there
   * @param groups the busiest groups
   * @param selected one of them with its slots
   * @param figures what the workers did lately
   */
  public record Snapshot(
      String store,
      Map<JobState, Long> counts,
      List<WorkerInfo> workers,
      List<GroupSummary> groups,
      Optional<ConcurrencyStatus> selected,
      Figures figures) {}

  /** Looks, at the slots of this group too; without one, at those of the busiest. */
  public Snapshot look(Optional<Group> selected) {
    List<WorkerInfo> workers = sluice.workers().list();
    long now = System.nanoTime();
    samples.addLast(new Sample(now, workers));
    while (samples.size() > 2 && now - samples.peekFirst().nanos > WINDOW) {
      samples.removeFirst();
    }
    List<GroupSummary> groups =
        sluice.concurrency().summaries(GroupQuery.BUSIEST.limit(MOST_GROUPS)).items();
    Optional<Group> group = selected.or(() -> groups.stream().findFirst().map(GroupSummary::group));
    return new Snapshot(
        store,
        sluice.jobs().counts(),
        workers,
        groups,
        group.map(sluice.concurrency()::status),
        Figures.between(samples.peekFirst().workers, workers));
  }
}
