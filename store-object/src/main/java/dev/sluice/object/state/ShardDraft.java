package dev.sluice.object.state;

import dev.sluice.LimitChange;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.Submission;
import dev.sluice.object.state.ShardState.Archive;
import dev.sluice.object.state.ShardState.Edition;
import dev.sluice.object.state.ShardState.Jobs;
import dev.sluice.object.state.ShardState.ProducerMemory;
import dev.sluice.object.state.ShardState.Revived;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The next commit in the making: a state that the steps of this package change, until it is sealed
 * or thrown away. One thread's own.
 *
 * <p>The steps are spread over {@link Admission}, {@link Claiming}, {@link Ending}, {@link
 * LimitRules} and {@link Slots}; this class keeps the jobs consistent: a job is in line, with a
 * worker, handed back or finished, and in exactly one of these.
 */
public final class ShardDraft {
  private final ShardState base;
  private final SegmentSource source;
  private long now;
  private long latest;
  private final TreeMap<Long, OpenSegment> segments = new TreeMap<>();
  private final Map<String, Long> numbers = new HashMap<>();
  private final Map<UUID, RunningJob> running;
  private final Map<JobPlace, Long> back;
  private final Map<String, UUID> dedupe;
  private final Map<String, ProducerMemory> producers;
  private final OpenLimits limits;
  private final Set<String> paused;
  private final List<FinishedJob> finished;
  private final Map<UUID, Revived> revived;
  private final List<JobRecord> returning = new ArrayList<>();
  private final List<String> dropped = new ArrayList<>();
  private long nextSegment;
  private long archiveNext;
  private int frozen;
  private long frozenAt;
  private boolean changed;

  /**
   * Begins a commit.
   *
   * @param base the state that it follows
   * @param source where segments are
   * @param atLeast what time it is at least by the store's clock, in microseconds
   * @param atMost what time it is at most
   */
  public ShardDraft(ShardState base, SegmentSource source, long atLeast, long atMost) {
    this.base = base;
    this.source = source;
    this.now = Math.max(atLeast, base.edition().time());
    this.latest = Math.max(atMost, now);
    base.jobs()
        .segments()
        .forEach(
            (number, ref) -> {
              segments.put(number, new OpenSegment(ref));
              numbers.put(ref.key(), number);
            });
    running = new HashMap<>(base.jobs().running());
    back = new HashMap<>(base.jobs().back());
    dedupe = new HashMap<>(base.jobs().dedupe());
    producers = new HashMap<>(base.jobs().producers());
    limits = new OpenLimits(base.limits(), this::touch);
    paused = new HashSet<>(base.paused());
    finished = new ArrayList<>(base.archive().finished());
    revived = new HashMap<>(base.archive().revived());
    nextSegment = base.jobs().nextSegment();
    archiveNext = base.archive().next();
    frozen = base.archive().frozen();
    frozenAt = base.archive().frozenAt();
  }

  /** The version this commit will have. */
  public long version() {
    return base.edition().version() + 1;
  }

  /** What time it is at least, in microseconds by the store's clock. */
  public long now() {
    return now;
  }

  /** What time it is at most: what is promised for a time is promised from then on. */
  public long latest() {
    return latest;
  }

  /** Whether anything differs from the state it began with. */
  public boolean isChanged() {
    return changed;
  }

  /** Jobs that need a new segment, because their record has changed. */
  public List<JobRecord> returning() {
    return returning;
  }

  /** Keys of segments that nobody needs after this commit. */
  public List<String> dropped() {
    return dropped;
  }

  void touch() {
    changed = true;
  }

  /**
   * The state after this commit.
   *
   * @param nonce drawn for this commit
   * @param returns where the returning jobs are; null if there are none
   */
  public ShardState seal(String nonce, Segment returns) {
    if (returns != null) {
      add(returns, returns.jobs().size());
    }
    TreeMap<Long, SegmentRef> refs = new TreeMap<>();
    segments.forEach((number, open) -> refs.put(number, open.ref()));
    List<String> recent = new ArrayList<>(base.edition().recent());
    recent.add(Edition.shortened(nonce));
    if (recent.size() > ShardState.REMEMBERED_COMMITS) {
      recent.remove(0);
    }
    return new ShardState(
        new Edition(version(), nonce, now, recent),
        new Jobs(nextSegment, refs, running, back, dedupe, producers),
        limits.seal(),
        new Archive(archiveNext, frozen, frozenAt, finished, revived),
        paused);
  }

  // Segments

  Segment segment(long number) {
    return source.get(segments.get(number).key);
  }

  Segment segmentAt(OpenSegment open) {
    return source.get(open.key);
  }

  /** The segment; null if it is damaged, which its source has reported. */
  Segment readable(OpenSegment open) {
    try {
      return source.get(open.key);
    } catch (StoreIncompatibleException e) {
      return null;
    }
  }

  boolean isReadable(JobPlace place) {
    return readable(segments.get(place.segment())) != null;
  }

  TreeMap<Long, OpenSegment> segments() {
    return segments;
  }

  /** The number of the segment at this key, or null. */
  Long numberOf(String key) {
    return numbers.get(key);
  }

  /** Whether this segment is known and needed. */
  public boolean isAdmitted(String key) {
    return numbers.containsKey(key);
  }

  /** What was answered for jobs of this segment that were not admitted; null if it is unknown. */
  public Map<Integer, Submission> refusedOf(String key) {
    Long number = numbers.get(key);
    return number == null ? null : Map.copyOf(segments.get(number).refused);
  }

  long add(Segment segment, int unfinished) {
    LimitRules.takeUp(this, segment);
    long number = nextSegment++;
    segments.put(
        number,
        new OpenSegment(new SegmentRef(segment.key(), unfinished, Map.of(), Set.of(), Map.of())));
    numbers.put(segment.key(), number);
    // Whoever wrote it had heard from the store that it is at least so late.
    now = Math.max(now, segment.submittedAt());
    latest = Math.max(latest, now);
    touch();
    return number;
  }

  void refuse(long number, int index, Submission answer) {
    OpenSegment open = segments.get(number).writable();
    open.refused.put(index, answer);
    open.gone.add(index);
    open.unfinished--;
    touch();
  }

  /** Whether a segment submitted under this key is done with already. */
  public boolean isDoneWith(SegmentKeys.Submitted submitted) {
    ProducerMemory memory = producers.get(submitted.producer());
    return memory != null && memory.knows(submitted.sequence());
  }

  /** One job less needs its segment. */
  void unneed(JobPlace place) {
    OpenSegment open = segments.get(place.segment()).writable();
    open.unfinished--;
    touch();
    dropIfDone(place.segment());
  }

  void dropIfDone(long number) {
    OpenSegment open = segments.get(number);
    if (open.unfinished > 0) {
      return;
    }
    segments.remove(number);
    numbers.remove(open.key);
    dropped.add(open.key);
    SegmentKeys.submitted(open.key)
        .ifPresent(
            submitted ->
                producers.merge(
                    submitted.producer(),
                    new ProducerMemory(new TreeMap<>(), now).with(submitted.sequence(), now),
                    (memory, one) -> memory.with(submitted.sequence(), now)));
    touch();
  }

  /**
   * Forgets producers that have been silent for this long and have nothing in line.
   *
   * @param present producers that still have segments in the inbox
   */
  public void forgetProducers(long silentMicros, Set<String> present) {
    Set<String> live = new HashSet<>(present);
    segments
        .values()
        .forEach(open -> SegmentKeys.submitted(open.key).ifPresent(s -> live.add(s.producer())));
    if (producers
        .entrySet()
        .removeIf(e -> !live.contains(e.getKey()) && e.getValue().at() < now - silentMicros)) {
      touch();
    }
  }

  // Jobs

  Map<UUID, RunningJob> running() {
    return running;
  }

  Map<JobPlace, Long> back() {
    return back;
  }

  JobRecord record(JobPlace place) {
    return segment(place.segment()).job(place.index());
  }

  /** Takes the job at the head of a line, or one that was handed back. */
  void claim(JobPlace place, RunningJob job) {
    if (back.remove(place) == null) {
      takeFromLine(place);
    }
    running.put(record(place).id(), job);
    limits.asks.release(place);
    touch();
  }

  /** Takes a job out of its line, wherever it stands in it. */
  void takeFromLine(JobPlace place) {
    Segment segment = segment(place.segment());
    OpenSegment open = segments.get(place.segment()).writable();
    int line = segment.lineOf(place.index());
    open.gone.add(place.index());
    int[] order = segment.lines().get(line).order();
    int cursor = open.cursors.getOrDefault(line, 0);
    while (cursor < order.length && open.gone.remove(order[cursor])) {
      cursor++;
    }
    if (cursor > 0) {
      open.cursors.put(line, cursor);
    }
    touch();
  }

  void update(UUID id, RunningJob job) {
    running.put(id, job);
    touch();
  }

  /** Puts a job that a worker had back in line. */
  void handBack(UUID id, long due) {
    back.put(running.remove(id).place(), due);
    touch();
  }

  /** Moves a job to another segment, with this record. */
  void moveAway(UUID id, JobRecord next) {
    RunningJob job = running.remove(id);
    returning.add(next);
    unneed(job.place());
  }

  /** Ends a job that no worker has; the caller has taken it out of its line. */
  void finish(FinishedJob job) {
    running.remove(job.id());
    limits.asks.release(job.place());
    JobRecord record = record(job.place());
    String dedupeName = record.dedupeName();
    if (dedupeName != null) {
      dedupe.remove(dedupeName, job.id());
    }
    finished.add(job);
    touch();
  }

  Map<String, UUID> dedupe() {
    return dedupe;
  }

  void reserve(String dedupeName, UUID id) {
    dedupe.put(dedupeName, id);
    touch();
  }

  // Workers, limits and slots

  Map<String, WorkerEntry> workers() {
    return limits.workers;
  }

  void putWorker(String id, WorkerEntry entry) {
    if (!entry.equals(limits.workers.put(id, entry))) {
      touch();
    }
  }

  void removeWorker(String id) {
    limits.workers.remove(id);
    limits.asks.forget(id);
    touch();
  }

  /** The fencing token of what this commit gives out. */
  public long token() {
    return limits.token();
  }

  /** Lets this and all later tokens be above this one. */
  public void raiseTokens(long above) {
    changed |= limits.raiseToken(above);
  }

  long rulesVersion() {
    return limits.rulesVersion();
  }

  /** The version of the commit in which the limits last changed. */
  long rulesChanged() {
    return limits.rulesChanged();
  }

  void raiseRulesVersion() {
    limits.raiseRulesVersion(version());
    touch();
  }

  Map<String, LimitRule> rules() {
    return limits.rules;
  }

  void putRule(String name, LimitRule rule) {
    limits.putRule(name, rule);
    touch();
  }

  void log(LimitChange change) {
    limits.log(change);
    touch();
  }

  /** Changes of limits that the log may not have yet, oldest first. */
  public List<ChangeLog.Logged> unloggedChanges() {
    return List.copyOf(limits.changes);
  }

  /** The log has all changes up to this number. */
  public void logged(long through) {
    if (limits.changes.removeIf(change -> change.number() <= through)) {
      touch();
    }
  }

  Map<String, SortedMap<Integer, SlotHolder>> slots() {
    return limits.slots;
  }

  SortedMap<Integer, SlotHolder> slotsOf(String group) {
    return limits.slots.getOrDefault(group, new TreeMap<>());
  }

  void putSlot(String group, int slot, SlotHolder holder) {
    limits.putSlot(group, slot, holder);
    touch();
  }

  OpenAsks asks() {
    return limits.asks;
  }

  // Queues

  /** Queues in which nothing starts. */
  public Set<String> paused() {
    return Set.copyOf(paused);
  }

  boolean isPaused(String queue) {
    return paused.contains(queue);
  }

  /** Stops or lets go a queue. */
  public void pause(String queue, boolean stop) {
    if (stop ? paused.add(queue) : paused.remove(queue)) {
      touch();
    }
  }

  // The archive

  List<FinishedJob> finished() {
    return finished;
  }

  Map<UUID, Revived> revived() {
    return revived;
  }

  /** The number of the next object in the archive. */
  public long archiveNext() {
    return archiveNext;
  }

  /** How many finished jobs make up that object. */
  public int frozen() {
    return frozen;
  }

  /**
   * Decides which jobs make up the next object in the archive, if that is open.
   *
   * @param enough with so many jobs at once
   * @param pauseMicros with fewer, so long after the last time
   */
  public void freeze(int enough, long pauseMicros) {
    if (frozen == 0
        && !finished.isEmpty()
        && (finished.size() >= enough || frozenAt <= now - pauseMicros)) {
      frozen = finished.size();
      frozenAt = now;
      touch();
    }
  }

  /** Lets go of the jobs that object {@code number} of the archive holds by now. */
  public void archived(long number) {
    if (number != archiveNext || frozen == 0) {
      return;
    }
    List<FinishedJob> done = new ArrayList<>(finished.subList(0, frozen));
    finished.subList(0, frozen).clear();
    frozen = 0;
    archiveNext++;
    touch();
    done.forEach(job -> unneed(job.place()));
  }

  void revive(UUID id, Revived where) {
    revived.put(id, where);
    touch();
  }

  /** The archive no longer has what was tried again. */
  public void forgetRevived(UUID id, long archived) {
    Revived known = revived.get(id);
    if (known != null && known.archived() == archived) {
      revived.remove(id);
      touch();
    }
  }
}
