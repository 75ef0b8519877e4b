package dev.sluice.object.state;

import static java.util.stream.Collectors.partitioningBy;

import dev.sluice.object.state.ClaimRoom.Entrant;
import dev.sluice.object.state.RunningJob.Claim;
import dev.sluice.object.state.Segment.Line;
import dev.sluice.object.state.Segment.Trait;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToLongFunction;

/**
 * Gives jobs to a worker: the best first, by priority, then by when they are due, then by id.
 *
 * <p>It looks only at the heads of lines. A head whose groups have no room takes its whole line out
 * of the choice, so however many wait for a full group, they cost the others one look. For each
 * group with a limit a job needs a place under a slot: one that the worker has to spare, or a new
 * slot, which is good for {@code 1 + depth} jobs ({@link ClaimRoom}). All groups of a job are
 * looked at before anything is taken in any. What the worker did not get it asks for, and slots may
 * be kept for a job that is passed over ({@link Queueing}). Segments that are damaged are passed
 * over.
 *
 * <p><b>What a worker ends in a step, it is not given in that step.</b> A worker that does not hear
 * the answer still has the outcome of its earlier claim; the job would be with it by a later one
 * that it never heard of. Reconciling tells the two apart by their tokens, but a job that goes from
 * a worker to the same worker within one step has no state in between that anything else could see.
 * In its next step it may have it.
 */
public final class Claiming {
  /**
   * What a claim brought.
   *
   * @param jobs the jobs, best first
   * @param slots the slots taken for them
   * @param full groups that kept due jobs from this worker, as far as it came across them
   * @param nextTime whether jobs are due that it may have in its next step, and not in this one
   */
  public record Taken(
      List<ClaimedJob> jobs, List<HeldSlot> slots, Set<String> full, boolean nextTime) {}

  /**
   * Who claims.
   *
   * @param worker the worker's id
   * @param queues the queues it serves
   * @param foundFull when claims of this process last found a group full, which is long ago if none
   *     did: a job that was due by then was held back by it
   * @param waits what its session remembers of what it waits for
   */
  public record Claimant(
      String worker, Set<String> queues, ToLongFunction<String> foundFull, Waits waits) {}

  /** The first job of a line, or one that was handed back. */
  private record Head(Trait trait, JobPlace place, JobRecord job, long due) {
    static final Comparator<Head> BEST_FIRST =
        Comparator.<Head>comparingInt(head -> head.trait.priority())
            .reversed()
            .thenComparingLong(Head::due)
            .thenComparing((a, b) -> JobRecord.compareIds(a.job.id(), b.job.id()));
  }

  private final ShardDraft draft;
  private final Claimant claimant;
  private final Set<UUID> ended;
  private final Map<String, TaskDemand> demands = new HashMap<>();
  private final Map<String, Integer> room = new HashMap<>();
  private final ClaimRoom groups;
  private final List<ClaimedJob> jobs = new ArrayList<>();
  private final List<HeldSlot> slots = new ArrayList<>();
  private boolean nextTime;

  private Claiming(ShardDraft draft, Claimant claimant, Demand demand, Set<UUID> ended) {
    this.draft = draft;
    this.claimant = claimant;
    this.ended = ended;
    this.groups = new ClaimRoom(draft, claimant.worker, demand);
    for (TaskDemand task : demand.tasks()) {
      demands.put(task.task(), task);
      room.put(task.task(), task.room());
    }
  }

  /**
   * Gives this worker what it could take on, as far as there is anything.
   *
   * @param ended jobs whose outcome it reports in the same step
   */
  static Taken claim(ShardDraft draft, Claimant claimant, Demand demand, Set<UUID> ended) {
    Claiming claiming = new Claiming(draft, claimant, demand, ended);
    if (demand.jobs() > 0 && !claiming.demands.isEmpty()) {
      claiming.run(claimant.queues, demand.jobs());
    }
    boolean unfilled = claiming.jobs.size() < demand.jobs();
    Queueing.settle(draft, claimant.worker, claimant.waits, claiming.groups, unfilled);
    return new Taken(
        claiming.jobs, claiming.slots, Set.copyOf(claiming.groups.full()), claiming.nextTime);
  }

  private void run(Set<String> queues, int wanted) {
    PriorityQueue<Head> heads = new PriorityQueue<>(Head.BEST_FIRST);
    draft
        .segments()
        .forEach(
            (number, open) -> {
              Segment segment = draft.readable(open);
              int lines = segment == null ? 0 : segment.lines().size();
              for (int line = 0; line < lines; line++) {
                Trait trait = segment.lines().get(line).trait();
                if (demands.containsKey(trait.task()) && isServed(queues, trait.queue())) {
                  addHead(heads, number, open, line);
                }
              }
            });
    draft
        .back()
        .forEach(
            (place, due) -> {
              if (due > draft.now() || !draft.isReadable(place)) {
                return;
              }
              JobRecord job = draft.record(place);
              if (demands.containsKey(job.spec().task())
                  && isServed(queues, job.spec().place().queue())) {
                if (ended.contains(job.id())) {
                  nextTime = true;
                } else {
                  heads.add(new Head(traitOf(place), place, job, due));
                }
              }
            });
    nextTime |= draft.returning().stream().anyMatch(job -> isDueNextTime(queues, job));
    while (jobs.size() < wanted && !heads.isEmpty()) {
      Head head = heads.poll();
      boolean handedBack = draft.back().containsKey(head.place);
      if (room.get(head.trait.task()) > 0 && enter(head)) {
        take(head);
        if (!handedBack) {
          OpenSegment open = draft.segments().get(head.place.segment());
          Segment segment = draft.segmentAt(open);
          addHead(heads, head.place.segment(), open, segment.lineOf(head.place.index()));
        }
      }
    }
  }

  /** Whether this job, which is being tried again, could be had as soon as it is in line. */
  private boolean isDueNextTime(Set<String> queues, JobRecord job) {
    return job.spec().timing().runAt() <= draft.now()
        && demands.containsKey(job.spec().task())
        && isServed(queues, job.spec().place().queue());
  }

  private boolean isServed(Set<String> queues, String queue) {
    return queues.contains(queue) && !draft.isPaused(queue);
  }

  private Trait traitOf(JobPlace place) {
    Segment segment = draft.segment(place.segment());
    return segment.lines().get(segment.lineOf(place.index())).trait();
  }

  private void addHead(PriorityQueue<Head> heads, long number, OpenSegment open, int lineIndex) {
    Segment segment = draft.segmentAt(open);
    Line line = segment.lines().get(lineIndex);
    int position = open.cursors.getOrDefault(lineIndex, 0);
    while (position < line.order().length && open.gone.contains(line.order()[position])) {
      position++;
    }
    if (position == line.order().length) {
      return;
    }
    int index = line.order()[position];
    JobRecord job = segment.job(index);
    if (job.spec().timing().runAt() <= draft.now()) {
      JobPlace place = new JobPlace(number, index);
      heads.add(new Head(line.trait(), place, job, job.spec().timing().runAt()));
    }
  }

  /** Takes a place in each of a job's groups, or in none. */
  private boolean enter(Head head) {
    int depth = demands.get(head.trait.task()).depth();
    Entrant job = new Entrant(head.place, head.trait.priority(), gates(head), depth);
    if (!groups.admits(job)) {
      return false;
    }
    for (String group : job.gates()) {
      if (groups.takesNewSlot(group, job)) {
        Slots.keep(draft, group, groups.limitOf(group));
        slots.add(new HeldSlot(group, Slots.take(draft, group, claimant.worker), draft.token()));
      }
    }
    return true;
  }

  private List<String> gates(Head head) {
    return groups.limited(head.trait.groups());
  }

  private void take(Head head) {
    String task = head.trait.task();
    boolean startsNow = demands.get(task).depth() == 0;
    JobRecord job = head.job;
    draft.claim(
        head.place,
        new RunningJob(
            head.place,
            new Claim(claimant.worker, draft.token(), heldBackBy(head)),
            head.due,
            startsNow ? draft.now() : 0,
            false,
            null));
    room.merge(task, -1, Integer::sum);
    Optional<Duration> timeout =
        Optional.ofNullable(job.spec().timing().timeoutMillis()).map(Duration::ofMillis);
    jobs.add(
        new ClaimedJob(
            job.id(),
            draft.token(),
            task,
            new ClaimedJob.Run(
                job.past().attempt() + 1,
                startsNow,
                timeout,
                Micros.toDuration(Math.max(0, draft.now() - head.due)),
                Optional.ofNullable(job.spec().entry().trace())),
            bond(head),
            job.spec().payload()));
  }

  private ClaimedJob.Bond bond(Head head) {
    Map<Boolean, List<String>> limited =
        head.trait.groups().stream().collect(partitioningBy(group -> groups.limitOf(group) >= 0));
    return new ClaimedJob.Bond(
        limited.get(true), limited.get(false), head.job.spec().bond().refiled());
  }

  /**
   * The group of a job that was last found full while the job was due; or what was known before.
   */
  private String heldBackBy(Head head) {
    return gates(head).stream()
        .filter(group -> claimant.foundFull.applyAsLong(group) >= head.due)
        .max(Comparator.comparingLong(claimant.foundFull))
        .orElse(head.job.past().heldBackBy());
  }
}
