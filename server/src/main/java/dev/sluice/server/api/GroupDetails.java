package dev.sluice.server.api;

import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.SlotInfo;
import dev.sluice.server.view.GroupDetailView;
import dev.sluice.server.view.LimitChangeView;
import dev.sluice.server.view.SlotView;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Shows a group with who holds its slots. */
final class GroupDetails {
  private static final int CHANGES = 20;

  /** For how many slots the job is looked up. */
  private static final int MOST_JOBS = 500;

  private final Backend backend;

  GroupDetails(Backend backend) {
    this.backend = backend;
  }

  GroupDetailView of(Group group) {
    List<LimitChangeView> changes =
        backend.sluice().concurrency().changes(Optional.of(group), CHANGES).stream()
            .map(LimitChangeView::of)
            .toList();
    GroupDetailView view = view(backend.sluice().concurrency().status(group), changes);
    return group.isDimension()
        ? view.withPointer(backend.sluice().concurrency().pointers().get(group))
        : view;
  }

  GroupDetailView withoutChanges(ConcurrencyStatus status) {
    return view(status, null);
  }

  private GroupDetailView view(ConcurrencyStatus status, List<LimitChangeView> changes) {
    Map<UUID, JobInfo> jobs = jobs(status.slots());
    Instant now = backend.storeTime();
    List<SlotView> slots =
        status.slots().stream()
            .map(
                slot ->
                    SlotView.of(
                        slot,
                        SlotView.job(slot).map(jobs::get),
                        backend.workerName(slot.workerId()),
                        now))
            .toList();
    return GroupDetailView.of(
        status, slots, backend.traffic().get(status.group().toString()), changes);
  }

  private Map<UUID, JobInfo> jobs(List<SlotInfo> slots) {
    List<UUID> ids =
        slots.stream().limit(MOST_JOBS).flatMap(slot -> SlotView.job(slot).stream()).toList();
    if (ids.isEmpty()) {
      return Map.of();
    }
    Map<UUID, JobInfo> jobs = new HashMap<>();
    backend
        .sluice()
        .store()
        .jobs()
        .getAll(ids, Instant.EPOCH)
        .forEach(job -> jobs.put(job.id(), job));
    return jobs;
  }
}
