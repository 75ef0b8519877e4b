package dev.sluice.object;

import dev.sluice.AuditReport;
import dev.sluice.JobState;
import dev.sluice.object.state.ArchivedJob;
import dev.sluice.object.state.Asks;
import dev.sluice.object.state.FinishedJob;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.JobPlace;
import dev.sluice.object.state.JobRecord;
import dev.sluice.object.state.LimitRules;
import dev.sluice.object.state.RunningJob;
import dev.sluice.object.state.Segment;
import dev.sluice.object.state.SegmentKeys;
import dev.sluice.object.state.SegmentRef;
import dev.sluice.object.state.ShardDocuments;
import dev.sluice.object.state.ShardDraft;
import dev.sluice.object.state.ShardState;
import dev.sluice.object.state.SlotAudit;
import dev.sluice.object.state.SlotHolder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Looks at every state that the bucket of a {@link Simulation} is ever in, and whether it may
 * follow the one before.
 *
 * <ul>
 *   <li>A job that was once admitted is in exactly one place from then on: in line, with a worker,
 *       handed back, or ended; and one that leaves the control object is in the archive.
 *   <li>A job ends by the word of a worker that had it in the state before, and succeeds once.
 *   <li>A worker whose standing has ended never has one again.
 *   <li>Slots are taken only up to the limit, and no job runs without one.
 *   <li>A worker asks once for a group. What was offered to it stays on record until it has taken a
 *       slot, asks anew or no longer asks. Slots are kept for jobs that wait, and those of a group
 *       for one job.
 *   <li>Of the unfinished jobs of a task, no two have the same dedupe key.
 *   <li>Nothing is deleted that is still needed.
 * </ul>
 */
final class Auditor {
  /** Below this are the objects of the only shard. */
  static final String SHARD = "shards/0/";

  static final String CONTROL = SHARD + ControlObject.KEY;

  private final Simulation simulation;
  private final Map<Long, ShardState> states = new HashMap<>();
  private final Map<String, Segment> segments = new HashMap<>();
  private final Set<UUID> admitted = new HashSet<>();
  private final Set<UUID> succeeded = new HashSet<>();
  private final Set<UUID> failed = new HashSet<>();
  private final Set<String> retired = new HashSet<>();
  private Set<UUID> ids = Set.of();
  private ShardState latest = ShardState.EMPTY;

  Auditor(Simulation simulation) {
    this.simulation = simulation;
    states.put(0L, latest);
  }

  /** The version of the latest state. */
  long version() {
    return latest.edition().version();
  }

  /** Whether this job has failed for good at least once. */
  boolean hasFailed(UUID id) {
    return failed.contains(id);
  }

  /** How many slots are held by the latest state. */
  int heldSlots() {
    return latest.limits().slots().values().stream().mapToInt(Map::size).sum();
  }

  /** The jobs that this worker has by the latest state, and under which tokens. */
  Map<UUID, Long> claimsOf(String worker) {
    Map<UUID, Long> claims = new HashMap<>();
    latest
        .jobs()
        .running()
        .forEach(
            (id, job) -> {
              if (job.claim().worker().equals(worker)) {
                claims.put(id, job.claim().token());
              }
            });
    return claims;
  }

  /**
   * The highest limit of a group in any of these states, and in the one before: a commit may let
   * somebody in and change the limit after that. Empty if it had none in one of them.
   */
  OptionalInt limitIn(String group, long first, long last) {
    int highest = 0;
    for (long version = first - 1; version <= last; version++) {
      OptionalInt limit = limit(group, states.get(version));
      if (limit.isEmpty()) {
        return limit;
      }
      highest = Math.max(highest, limit.getAsInt());
    }
    return OptionalInt.of(highest);
  }

  private OptionalInt limit(String group, ShardState state) {
    return LimitRules.limitOf(
        new ShardDraft(state, segments::get, state.edition().time(), state.edition().time()),
        group);
  }

  private void violation(String what, Object... details) {
    simulation.violation("in version %d: ".formatted(version()) + what.formatted(details));
  }

  // What happens in the bucket

  void written(String whole, byte[] body) {
    String key = inShard(whole);
    if (key.equals(ControlObject.KEY)) {
      ShardState before = latest;
      latest = ShardDocuments.read(key, body);
      simulation.note(() -> "        " + Narration.of(latest));
      compare(before, latest);
      states.put(version(), latest);
    } else if (isSegment(key)) {
      segments.put(key, JobDocuments.readSegment(key, whole, body));
    }
  }

  /** The key as the shard knows it. */
  private static String inShard(String key) {
    return key.startsWith(SHARD) ? key.substring(SHARD.length()) : key;
  }

  private Map<String, byte[]> inShardBelow(String prefix) {
    Map<String, byte[]> found = new TreeMap<>();
    simulation.bucket().peek(SHARD + prefix).forEach((key, body) -> found.put(inShard(key), body));
    return found;
  }

  private static boolean isSegment(String key) {
    return key.startsWith(SegmentKeys.INBOX) || key.startsWith(SegmentKeys.RETURNS);
  }

  void removed(String whole, byte[] body) {
    String key = inShard(whole);
    if (!isSegment(key)) {
      return;
    }
    if (latest.jobs().segments().values().stream().anyMatch(ref -> ref.key().equals(key))) {
      violation("the segment %s is deleted and still needed", key);
    }
    for (JobRecord job : segments.get(key).jobs()) {
      if (simulation.ledger().isAcknowledged(job.id()) && !admitted.contains(job.id())) {
        violation("job %s was acknowledged and is deleted with %s", job.id(), key);
      }
    }
  }

  /** A submitter is told that this job is stored. */
  void requireStored(UUID id) {
    boolean there =
        admitted.contains(id)
            || inShardBelow(SegmentKeys.INBOX).keySet().stream()
                .anyMatch(
                    key -> segments.get(key).jobs().stream().anyMatch(j -> j.id().equals(id)));
    if (!there) {
      violation("job %s is acknowledged and nowhere", id);
    }
  }

  // One state after the other

  private void compare(ShardState before, ShardState after) {
    if (after.edition().version() != before.edition().version() + 1) {
      violation("it follows version %d", before.edition().version());
    }
    compareWorkers(before, after);
    compareJobs(before, after);
    for (FinishedJob job : after.archive().finished()) {
      if (!before.archive().finished().contains(job)) {
        checkEnd(before, job);
      }
    }
    compareSlots(before, after);
    compareAsks(before.limits().asks(), after);
    audit(after);
  }

  private void compareAsks(Asks before, ShardState after) {
    after
        .limits()
        .asks()
        .byGroup()
        .forEach(
            (group, asks) -> {
              Set<String> asking = new HashSet<>();
              for (Asks.Ask ask : asks) {
                if (!asking.add(ask.worker())) {
                  violation("worker %s asks twice for %s", ask.worker(), group);
                }
                for (Asks.Ask old : before.byGroup().getOrDefault(group, List.of())) {
                  if (old.offeredAt() != 0
                      && ask.offeredAt() == 0
                      && old.worker().equals(ask.worker())
                      && old.since() == ask.since()
                      && !wasTaken(after, group)) {
                    violation("what was offered of %s to %s is forgotten", group, ask.worker());
                  }
                }
              }
            });
    Set<String> kept = new HashSet<>();
    for (Asks.Reservation reservation : after.limits().asks().reservations()) {
      JobPlace job = reservation.job();
      if (!isWaiting(after, job)) {
        violation("slots are kept for %s, which does not wait", job);
      }
      for (String group : reservation.groups()) {
        if (!kept.add(group)) {
          violation("slots of %s are kept for two jobs", group);
        }
      }
    }
  }

  /** Whether a slot was taken in the latest commit, which ends the offers of free ones. */
  private static boolean wasTaken(ShardState state, String group) {
    return state.limits().slots().getOrDefault(group, new TreeMap<>()).values().stream()
        .anyMatch(holder -> holder.token() == state.edition().version());
  }

  private boolean isWaiting(ShardState state, JobPlace job) {
    SegmentRef ref = state.jobs().segments().get(job.segment());
    return ref != null
        && (state.jobs().back().containsKey(job)
            || ref.isInLine(segments.get(ref.key()), job.index()));
  }

  private void compareWorkers(ShardState before, ShardState after) {
    for (String worker : after.limits().workers().keySet()) {
      if (retired.contains(worker)) {
        violation("worker %s is back although its standing had ended", worker);
      }
    }
    for (String worker : before.limits().workers().keySet()) {
      if (!after.limits().workers().containsKey(worker)) {
        retired.add(worker);
      }
    }
  }

  private void compareJobs(ShardState before, ShardState after) {
    List<JobRecord> unfinished = unfinished(after);
    Set<UUID> now = new HashSet<>();
    Set<String> dedupe = new HashSet<>();
    for (JobRecord job : unfinished) {
      String key = job.spec().entry().dedupeKey();
      if (key != null && !dedupe.add(job.spec().task() + "/" + key)) {
        violation("two unfinished jobs of %s have the dedupe key %s", job.spec().task(), key);
      }
      requireOnce(now.add(job.id()), job.id());
    }
    for (FinishedJob job : after.archive().finished()) {
      requireOnce(now.add(job.id()), job.id());
    }
    Set<UUID> archived = archivedBetween(before, after);
    for (UUID id : ids) {
      if (!now.contains(id) && !archived.contains(id)) {
        violation("job %s is gone", id);
      }
    }
    admitted.addAll(now);
    ids = now;
  }

  private void requireOnce(boolean once, UUID id) {
    if (!once) {
      violation("job %s is in two places", id);
    }
  }

  private List<JobRecord> unfinished(ShardState state) {
    List<JobRecord> unfinished = new ArrayList<>();
    Map<String, byte[]> there = inShardBelow(SegmentKeys.INBOX);
    there.putAll(inShardBelow(SegmentKeys.RETURNS));
    for (SegmentRef ref : state.jobs().segments().values()) {
      if (!there.containsKey(ref.key())) {
        violation("the segment %s is needed and not there", ref.key());
        continue;
      }
      Segment segment = segments.get(ref.key());
      for (int index = 0; index < segment.jobs().size(); index++) {
        if (ref.isInLine(segment, index)) {
          unfinished.add(segment.job(index));
        }
      }
    }
    for (RunningJob job : state.jobs().running().values()) {
      unfinished.add(record(state, job.place().segment(), job.place().index()));
    }
    state
        .jobs()
        .back()
        .keySet()
        .forEach(p -> unfinished.add(record(state, p.segment(), p.index())));
    return unfinished;
  }

  private JobRecord record(ShardState state, long segment, int index) {
    return segments.get(state.jobs().segments().get(segment).key()).job(index);
  }

  /** The jobs that this commit left to the archive, which must have them. */
  private Set<UUID> archivedBetween(ShardState before, ShardState after) {
    Set<UUID> gone = new HashSet<>();
    if (after.archive().next() == before.archive().next()) {
      return gone;
    }
    Set<UUID> there = new HashSet<>();
    inShardBelow("done/%012d/".formatted(before.archive().next()))
        .forEach(
            (key, body) -> {
              for (ArchivedJob job : JobDocuments.readArchive(key, body)) {
                there.add(job.record().id());
              }
            });
    for (FinishedJob job : before.archive().finished().subList(0, before.archive().frozen())) {
      gone.add(job.id());
      if (!there.contains(job.id())) {
        violation("job %s is not in the archive yet and let go of", job.id());
      }
    }
    return gone;
  }

  private void checkEnd(ShardState before, FinishedJob job) {
    JobState how = job.end().state();
    if (how == JobState.FAILED) {
      failed.add(job.id());
    }
    if (how == JobState.SUCCEEDED && !succeeded.add(job.id())) {
      violation("job %s succeeded twice", job.id());
    }
    RunningJob had = before.jobs().running().get(job.id());
    if (how != JobState.CANCELLED
        && (had == null
            || !had.claim().worker().equals(job.run().worker())
            || !before.limits().workers().containsKey(job.run().worker()))) {
      violation("job %s was ended by %s, which did not have it", job.id(), job.run().worker());
    }
  }

  /** What operators are told: nobody here takes slots away by force. */
  private void audit(ShardState state) {
    long now = state.edition().time();
    ShardDraft draft = new ShardDraft(state, segments::get, now, now);
    for (AuditReport.Finding finding : SlotAudit.findings(draft, Set.of())) {
      violation("%s: %s", finding.group(), finding.seen());
    }
    state.limits().slots().forEach((group, held) -> checkJobsIn(state, group, held.values()));
  }

  /** A slot has a job that its worker has started, and a job has one slot of a group. */
  private void checkJobsIn(ShardState state, String group, Collection<SlotHolder> held) {
    Set<UUID> seen = new HashSet<>();
    for (SlotHolder holder : held) {
      RunningJob job = state.jobs().running().get(holder.job());
      if (holder.job() != null
          && (!job.hasStarted() || !job.claim().worker().equals(holder.worker()))) {
        violation("a slot of %s has job %s, which its worker has not started", group, holder.job());
      }
      if (holder.job() != null && !seen.add(holder.job())) {
        violation("job %s has two slots of %s", holder.job(), group);
      }
    }
  }

  private void compareSlots(ShardState before, ShardState after) {
    if (before.limits().rulesVersion() != after.limits().rulesVersion()) {
      // A first limit adopts what runs, more than it allows if need be.
      return;
    }
    after
        .limits()
        .slots()
        .forEach(
            (group, held) -> {
              boolean taken =
                  held.values().stream().anyMatch(h -> h.token() == after.edition().version());
              OptionalInt limit = limit(group, after);
              if (taken && limit.isPresent() && held.size() > limit.getAsInt()) {
                violation("%d slots of %s at a limit of %d", held.size(), group, limit.getAsInt());
              }
            });
  }
}
