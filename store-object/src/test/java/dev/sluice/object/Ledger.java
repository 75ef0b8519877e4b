package dev.sluice.object;

import dev.sluice.JobInfo;
import dev.sluice.JobState;
import dev.sluice.SlotLease;
import dev.sluice.Submission;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.NewJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What the processes of a {@link Simulation} were told and believe, and whether all of it can be
 * true at once.
 *
 * <p><b>Limits.</b> A holder is a job that a worker runs under a lease that holds by its own clock,
 * or a permit whose holder counts on it; the store is not asked. At any moment, of the holders of a
 * group, look at the one that was let in last: all others held their slots then, so there may be no
 * more of them than the limit that was in force when it was let in. So a lowered limit may drain, a
 * first limit may find more than it allows, and still nobody starts beyond a limit. A worker with a
 * buffer may start what it has there a moment after a change; then the highest limit since the
 * first of them was let in counts.
 */
final class Ledger {
  private final Simulation simulation;
  private final Set<UUID> stored = new HashSet<>();
  private final Map<String, Permit> permits = new HashMap<>();
  private boolean changed;

  private record Permit(SimulatedProcess process, SlotLease lease, long until) {
    boolean counts() {
      return !process.isDead() && process.nanoTime() - until < 0;
    }
  }

  private record Holder(long token, boolean startedAtOnce) {}

  Ledger(Simulation simulation) {
    this.simulation = simulation;
  }

  // Submits

  /** A submitter was answered. */
  void answered(NewJob job, Submission answer) {
    if (answer instanceof Submission.Submitted submitted) {
      if (!submitted.id().equals(job.identity().id()) || !stored.add(submitted.id())) {
        simulation.violation("job %s is said to be stored twice".formatted(submitted.id()));
      }
      simulation.auditor().requireStored(submitted.id());
    } else if (answer instanceof Submission.Duplicate duplicate) {
      if (!simulation.jobs().knows(duplicate.id())) {
        simulation.violation("a duplicate of %s, which nobody sent".formatted(duplicate.id()));
      }
    } else if (answer instanceof Submission.Rejected rejected
        && rejected.count() < rejected.limit()) {
      simulation.violation("rejected although there was room: " + rejected);
    }
  }

  /** Whether a submitter was told that this job is stored. */
  boolean isAcknowledged(UUID id) {
    return stored.contains(id);
  }

  // Holders

  void holdsPermit(SimulatedProcess process, SlotLease lease, long until) {
    permits.put(name(lease), new Permit(process, lease, until));
    changed();
  }

  void gavePermit(SlotLease lease) {
    permits.remove(name(lease));
  }

  private static String name(SlotLease lease) {
    return lease.group() + "#" + lease.slot() + "#" + lease.token();
  }

  /** Somebody has started something. */
  void changed() {
    changed = true;
  }

  /** Looks whether a group has too many holders. */
  void check() {
    if (!changed) {
      return;
    }
    changed = false;
    Map<String, List<Holder>> holders = new TreeMap<>();
    for (SimulatedProcess process : simulation.processes()) {
      if (process.worker() != null) {
        for (ClaimedJob job : process.worker().running()) {
          Holder holder = new Holder(job.token(), job.run().counted());
          simulation
              .jobs()
              .groupsOf(job.id())
              .forEach(group -> holders.computeIfAbsent(group, g -> new ArrayList<>()).add(holder));
        }
      }
    }
    permits.values().removeIf(permit -> !permit.counts());
    for (Permit permit : permits.values()) {
      holders
          .computeIfAbsent(permit.lease.group().toString(), g -> new ArrayList<>())
          .add(new Holder(permit.lease.token(), true));
    }
    holders.forEach(this::check);
  }

  private void check(String group, List<Holder> holders) {
    boolean exact = holders.stream().allMatch(Holder::startedAtOnce);
    long last = holders.stream().mapToLong(Holder::token).max().getAsLong();
    long first = holders.stream().mapToLong(Holder::token).min().getAsLong();
    OptionalInt limit =
        exact
            ? simulation.auditor().limitIn(group, last, last)
            : simulation.auditor().limitIn(group, first, simulation.auditor().version());
    if (limit.isPresent() && holders.size() > limit.getAsInt()) {
      simulation.violation(
          "the group %s has %d holders at a limit of %d"
              .formatted(group, holders.size(), limit.getAsInt()));
    }
  }

  /**
   * A worker that is sure of what it holds must know of every claim that it was given, each by the
   * token of the state.
   */
  void checkKnown(String worker, Map<UUID, Long> known) {
    simulation
        .auditor()
        .claimsOf(worker)
        .forEach(
            (id, token) -> {
              if (!token.equals(known.get(id))) {
                simulation.violation(
                    "job %s is with worker %s under token %d, of which it knows nothing"
                        .formatted(id, worker, token));
              }
            });
  }

  // The end

  /** Once everything is done: every job that was acknowledged ended, once, and nothing is held. */
  void checkEnd(List<JobInfo> jobs, Map<JobState, Long> counts, int heldSlots) {
    Map<UUID, Integer> times = new HashMap<>();
    Map<JobState, Long> listed = new HashMap<>();
    for (JobInfo job : jobs) {
      times.merge(job.id(), 1, Integer::sum);
      listed.merge(job.state(), 1L, Long::sum);
      if (!job.state().finished()) {
        simulation.violation("job %s never ended: it is %s".formatted(job.id(), job.state()));
      }
      if (times.get(job.id()) > 1) {
        simulation.violation("job %s is on record twice".formatted(job.id()));
      }
    }
    for (UUID id : stored) {
      if (!times.containsKey(id)) {
        simulation.violation("job %s was acknowledged and is lost".formatted(id));
      }
    }
    counts.forEach(
        (state, count) -> {
          if (!listed.getOrDefault(state, 0L).equals(count)) {
            simulation.violation("%s are counted and %s are listed".formatted(counts, listed));
          }
        });
    if (heldSlots > 0) {
      simulation.violation("%d slots are left".formatted(heldSlots));
    }
  }
}
