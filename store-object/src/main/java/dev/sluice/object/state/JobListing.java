package dev.sluice.object.state;

import dev.sluice.JobState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;

/** Unfinished jobs one by one, with what is known of each. */
public final class JobListing {
  private final ShardDraft draft;
  private final Map<String, Boolean> full = new HashMap<>();

  private JobListing(ShardDraft draft) {
    this.draft = draft;
  }

  /**
   * An unfinished job.
   *
   * @param record its record
   * @param state where it is in its life
   * @param due when it is or was due
   * @param run its run, as far as it has one
   */
  public record Listed(JobRecord record, JobState state, long due, Run run) {
    /** How many attempts have started. */
    public int attempt() {
      return record.past().attempt() + (run.startedAt != null && run.current ? 1 : 0);
    }

    /** The worker that has it, or had it last; null = none. */
    public String worker() {
      return run.worker;
    }

    /** When its latest attempt started, or null. */
    public Long startedAt() {
      return run.startedAt;
    }

    /** The latest progress, or null. */
    public String note() {
      return run.note;
    }

    /** The group that was last found full in front of it, or null. */
    public String heldBackBy() {
      return run.heldBackBy;
    }

    /** Whether its worker is asked to stop it. */
    public boolean cancelRequested() {
      return run.cancelRequested;
    }
  }

  /**
   * A job's run.
   *
   * @param current whether a worker has the job now
   */
  public record Run(
      boolean current,
      String worker,
      Long startedAt,
      String note,
      boolean cancelRequested,
      String heldBackBy) {}

  /** The unfinished job of this id, in segments that can be read. */
  public static Optional<Listed> find(ShardDraft draft, UUID id) {
    JobListing listing = new JobListing(draft);
    RunningJob running = draft.running().get(id);
    if (running != null) {
      return Optional.of(listing.running(running));
    }
    return JobFinder.inReadable(draft, id)
        .map(place -> listing.pending(draft.record(place), draft.back().get(place)));
  }

  /** Every unfinished job. */
  public static List<Listed> all(ShardDraft draft) {
    JobListing listing = new JobListing(draft);
    List<Listed> all = new ArrayList<>();
    draft.running().values().forEach(job -> all.add(listing.running(job)));
    draft.back().forEach((place, due) -> all.add(listing.pending(draft.record(place), due)));
    draft.segments().values().forEach(open -> listing.inLine(open, all::add));
    return all;
  }

  /** Jobs that ended and are not archived yet. */
  public static List<ArchivedJob> ended(ShardDraft draft) {
    return draft.finished().stream()
        .map(job -> ArchivedJob.of(job, draft.record(job.place())))
        .toList();
  }

  /** Those of them that have these ids. */
  public static List<ArchivedJob> ended(ShardDraft draft, Set<UUID> ids) {
    return draft.finished().stream()
        .filter(job -> ids.contains(job.id()))
        .map(job -> ArchivedJob.of(job, draft.record(job.place())))
        .toList();
  }

  /** Whether the archive's copy of this job, in this object, is one that lives again. */
  public static boolean isRevived(ShardDraft draft, UUID id, long archived) {
    ShardState.Revived revived = draft.revived().get(id);
    return revived != null && revived.archived() == archived;
  }

  /** Jobs that live again and that the archive may still have. */
  public static Map<UUID, ShardState.Revived> revived(ShardDraft draft) {
    return new TreeMap<>(draft.revived());
  }

  /** The jobs that this worker has started, in the order they started. */
  static List<UUID> startedBy(ShardDraft draft, String worker) {
    return draft.running().entrySet().stream()
        .filter(entry -> entry.getValue().hasStarted())
        .filter(entry -> entry.getValue().claim().worker().equals(worker))
        .sorted(
            (a, b) -> {
              int started = Long.compare(a.getValue().startedAt(), b.getValue().startedAt());
              return started != 0 ? started : JobRecord.compareIds(a.getKey(), b.getKey());
            })
        .map(Map.Entry::getKey)
        .toList();
  }

  private void inLine(OpenSegment open, Consumer<Listed> to) {
    Segment segment = draft.segmentAt(open);
    SegmentRef ref = open.ref();
    for (int index = 0; index < segment.jobs().size(); index++) {
      if (ref.isInLine(segment, index)) {
        to.accept(pending(segment.job(index), null));
      }
    }
  }

  private Listed running(RunningJob job) {
    JobRecord record = draft.record(job.place());
    Long startedAt = job.hasStarted() ? (Long) job.startedAt() : null;
    return new Listed(
        record,
        job.hasStarted() ? JobState.RUNNING : JobState.READY,
        job.due(),
        new Run(
            true,
            job.claim().worker(),
            startedAt,
            job.note(),
            job.cancelRequested(),
            job.claim().heldBackBy()));
  }

  private Listed pending(JobRecord record, Long handedBack) {
    long due = handedBack == null ? record.spec().timing().runAt() : handedBack;
    JobRecord.Past past = record.past();
    JobState state = JobState.READY;
    String heldBackBy = past.heldBackBy();
    if (due > draft.now()) {
      state = JobState.SCHEDULED;
    } else {
      Optional<String> obstacle = record.allGroups().stream().filter(this::isFull).findFirst();
      state = obstacle.isPresent() ? JobState.WAITING : state;
      heldBackBy = obstacle.orElse(heldBackBy);
    }
    return new Listed(
        record,
        state,
        due,
        new Run(false, past.worker(), past.startedAt(), null, false, heldBackBy));
  }

  private boolean isFull(String group) {
    return full.computeIfAbsent(group, name -> Slots.isFull(draft, name));
  }
}
