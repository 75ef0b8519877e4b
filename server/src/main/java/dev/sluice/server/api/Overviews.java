package dev.sluice.server.api;

import dev.sluice.JobState;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerInfo;
import dev.sluice.server.live.Snapshot;
import dev.sluice.server.view.AlertView;
import dev.sluice.server.view.OverviewView;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Puts the overview together.
 *
 * @param store which store this is
 * @param version of the program
 * @param violations how many limits were found exceeded
 * @param staleSince since when the sample is old
 */
public record Overviews(
    OverviewView.Store store,
    String version,
    LongSupplier violations,
    Supplier<Optional<Instant>> staleSince) {
  private static final int QUEUES = 100;
  private static final int GROUPS = 10;

  /** The overview of a sample. */
  public OverviewView of(Snapshot snapshot) {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (JobState state : JobState.values()) {
      counts.put(state.toString(), snapshot.figures().counts().getOrDefault(state, 0L));
    }
    return new OverviewView(
        Instant.now(),
        store,
        version,
        new OverviewView.Figures(
            counts,
            snapshot.rates(),
            snapshot.queues(QUEUES),
            snapshot.groups(GROUPS),
            fleet(snapshot.figures().workers()),
            violations.getAsLong(),
            snapshot.alerts().stream().map(AlertView::of).toList()),
        snapshot.at(),
        staleSince.get().orElse(null));
  }

  private static OverviewView.Fleet fleet(List<WorkerInfo> workers) {
    List<WorkerInfo> alive = workers.stream().filter(worker -> worker.lease().alive()).toList();
    List<WorkerBulletin.Load> loads =
        alive.stream().flatMap(w -> w.bulletin().stream()).map(WorkerBulletin::load).toList();
    return new OverviewView.Fleet(
        alive.size(),
        loads.stream().mapToInt(WorkerBulletin.Load::running).sum(),
        loads.stream().mapToInt(WorkerBulletin.Load::concurrency).sum());
  }
}
