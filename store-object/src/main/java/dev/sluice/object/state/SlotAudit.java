package dev.sluice.object.state;

import dev.sluice.AuditReport.Finding;
import dev.sluice.AuditReport.Kind;
import dev.sluice.Group;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Works out from jobs, permits and workers who holds what, and compares that with slots and limits.
 *
 * <p>Slots are counted, not kept as a number, so there is no count that could be wrong. A slot is
 * held by nobody if its worker has no lease any more. What must never be found are slots beyond a
 * limit that were taken after it was last changed, and jobs that run without a slot; the second
 * happens all the same when an operator takes a slot away by force.
 */
public final class SlotAudit {
  private SlotAudit() {}

  /**
   * What is not as it should be.
   *
   * @param gone workers that have no lease
   */
  public static List<Finding> findings(ShardDraft draft, Set<String> gone) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Map<String, Integer>> running = running(draft);
    for (String group : new TreeMap<>(draft.slots()).keySet()) {
      leaked(draft, group, gone).ifPresent(findings::add);
      exceeded(draft, group).ifPresent(findings::add);
    }
    running.forEach((group, jobs) -> uncovered(draft, group, jobs, gone).ifPresent(findings::add));
    return findings;
  }

  /** Ends the standing of workers that have no lease: their slots come free. */
  public static void repair(ShardDraft draft, Set<String> gone) {
    for (String worker : gone) {
      if (WorkerStanding.isKnown(draft, worker)) {
        Ending.retire(draft, worker, true);
      }
    }
  }

  private static Optional<Finding> leaked(ShardDraft draft, String group, Set<String> gone) {
    int leaked = held(draft, group, holder -> gone.contains(holder.worker()));
    return leaked == 0
        ? Optional.empty()
        : Optional.of(
            new Finding(
                Group.parse(group),
                Kind.LEAKED,
                leaked,
                "%s held by workers that are gone".formatted(slots(leaked))));
  }

  private static int held(ShardDraft draft, String group, Predicate<SlotHolder> whose) {
    return (int)
        draft.slotsOf(group).values().stream()
            .filter(holder -> holder.permit() == null && whose.test(holder))
            .count();
  }

  private static Optional<Finding> exceeded(ShardDraft draft, String group) {
    Integer limit = LimitRules.find(draft, group);
    int held = draft.slotsOf(group).size();
    boolean since =
        draft.slotsOf(group).values().stream().anyMatch(h -> h.token() > draft.rulesChanged());
    return limit == null || held <= limit || !since
        ? Optional.empty()
        : Optional.of(
            new Finding(
                Group.parse(group),
                Kind.EXCEEDED,
                held - limit,
                "%s held at a limit of %d, some of them taken since it was last changed"
                    .formatted(slots(held), limit)));
  }

  /** Jobs that have started, by group and worker. */
  private static Map<String, Map<String, Integer>> running(ShardDraft draft) {
    Map<String, Map<String, Integer>> running = new TreeMap<>();
    for (RunningJob job : draft.running().values()) {
      if (job.hasStarted() && draft.isReadable(job.place())) {
        for (String group : draft.record(job.place()).allGroups()) {
          running
              .computeIfAbsent(group, any -> new HashMap<>())
              .merge(job.claim().worker(), 1, Integer::sum);
        }
      }
    }
    return running;
  }

  private static Optional<Finding> uncovered(
      ShardDraft draft, String group, Map<String, Integer> jobs, Set<String> gone) {
    if (LimitRules.find(draft, group) == null) {
      return Optional.empty();
    }
    int uncovered = 0;
    for (Map.Entry<String, Integer> worker : jobs.entrySet()) {
      if (!gone.contains(worker.getKey())) {
        int held = held(draft, group, holder -> holder.isOf(worker.getKey()));
        uncovered += Math.max(0, worker.getValue() - held);
      }
    }
    return uncovered == 0
        ? Optional.empty()
        : Optional.of(
            new Finding(
                Group.parse(group),
                Kind.UNCOVERED,
                uncovered,
                uncovered == 1
                    ? "1 job runs without a slot"
                    : uncovered + " jobs run without a slot"));
  }

  private static String slots(int count) {
    return count == 1 ? "1 slot is" : count + " slots are";
  }
}
