package dev.sluice.object.state;

import dev.sluice.Group;
import dev.sluice.JobFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A job as a segment holds it. Times are microseconds since 1970, by the store's clock.
 *
 * @param id its id
 * @param spec what was submitted
 * @param past what happened to it before it came into this segment
 */
public record JobRecord(UUID id, Spec spec, Past past) {
  /** How many failed attempts are remembered. */
  public static final int REMEMBERED_FAILURES = 20;

  /**
   * What was submitted.
   *
   * @param task the task's name
   * @param place queue and priority
   * @param timing when
   * @param bond the groups it is in
   * @param entry what is to be decided before it is admitted
   * @param payload JSON text
   */
  public record Spec(
      String task, Place place, Timing timing, Bond bond, Entry entry, String payload) {}

  /** Queue and priority, higher first. */
  public record Place(String queue, int priority) {}

  /**
   * When.
   *
   * @param submittedAt when it was stored
   * @param runAt not before this moment
   * @param timeoutMillis how long an attempt may run; null = unbounded
   */
  public record Timing(long submittedAt, long runAt, Long timeoutMillis) {}

  /**
   * The groups of a job.
   *
   * @param groups canonical names of those beyond its task's own
   * @param limited the group that a submit-side limit is for, or null
   * @param limit that limit, or null
   * @param refiled whether a worker has put the job into these groups, because its task declares
   *     them
   */
  public record Bond(List<String> groups, String limited, Integer limit, boolean refiled) {
    /** In no group but its task's own. */
    public static final Bond NONE = new Bond(List.of(), null, null, false);
  }

  /**
   * What is to be decided before the job is admitted.
   *
   * @param explicit whether the caller chose the id, so that it may be there already
   * @param dedupeKey at most one unfinished job of the task has it; null = none
   * @param reject whether it is refused when a group is full
   * @param owner the workflow run it belongs to, or null
   * @param trace where its trace goes on, or null: of no concern to anybody but its handler
   */
  public record Entry(
      boolean explicit, String dedupeKey, boolean reject, Owner owner, String trace) {
    /** Nothing is to be decided. */
    public static final Entry FREE = new Entry(false, null, false, null, null);

    /** Whether the job is accepted only by a commit that looked. */
    public boolean isGuarded() {
      return explicit || dedupeKey != null || reject;
    }
  }

  /**
   * The run that a job belongs to.
   *
   * @param run its id
   * @param since no job of the run is older than this
   */
  public record Owner(UUID run, long since) {}

  /**
   * What happened to a job before.
   *
   * @param attempt how many attempts have started
   * @param failures the latest failed attempts, oldest first
   * @param worker who ran it last, or null
   * @param startedAt when that was, or null
   * @param heldBackBy the group that was last found full in front of it, or null
   */
  public record Past(
      int attempt, List<JobFailure> failures, String worker, Long startedAt, String heldBackBy) {
    /** Nothing yet. */
    public static final Past NONE = new Past(0, List.of(), null, null, null);

    Past with(JobFailure failure) {
      List<JobFailure> all = new ArrayList<>(failures);
      all.add(failure);
      if (all.size() > REMEMBERED_FAILURES) {
        all.remove(0);
      }
      return new Past(attempt, List.copyOf(all), worker, startedAt, heldBackBy);
    }
  }

  /** The same job with another past and due at another time. */
  JobRecord again(Past then, long runAt) {
    Timing timing = new Timing(spec.timing.submittedAt, runAt, spec.timing.timeoutMillis);
    return new JobRecord(
        id, new Spec(spec.task, spec.place, timing, spec.bond, spec.entry, spec.payload), then);
  }

  /**
   * The same job in other groups. A limit that it brought along for a group it leaves is dropped.
   */
  JobRecord refiled(List<String> groups, Past then, long runAt) {
    boolean stays =
        spec.bond.limited != null
            && (groups.contains(spec.bond.limited) || spec.bond.limited.equals(taskGroup()));
    Bond bond =
        new Bond(
            List.copyOf(groups),
            stays ? spec.bond.limited : null,
            stays ? spec.bond.limit : null,
            true);
    Spec refiled = new Spec(spec.task, spec.place, spec.timing, bond, spec.entry, spec.payload);
    return new JobRecord(id, refiled, past).again(then, runAt);
  }

  /** The canonical names of all its groups, in order. */
  public List<String> allGroups() {
    List<String> all = new ArrayList<>(spec.bond.groups);
    String own = taskGroup();
    if (!all.contains(own)) {
      all.add(own);
    }
    all.sort(null);
    return List.copyOf(all);
  }

  /** The canonical name of its task's own group. */
  public String taskGroup() {
    return Group.of(spec.task).toString();
  }

  /** What tells its dedupe key from those of other tasks, or null. */
  String dedupeName() {
    return spec.entry.dedupeKey == null ? null : taskGroup() + "/" + spec.entry.dedupeKey;
  }

  /** The order of jobs that are equally urgent: by id, as unsigned numbers. */
  static int compareIds(UUID a, UUID b) {
    int high = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
    return high != 0
        ? high
        : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
  }
}
