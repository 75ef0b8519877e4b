package dev.sluice.object;

import dev.sluice.object.state.RunningJob;
import dev.sluice.object.state.ShardState;
import dev.sluice.object.state.SlotHolder;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * States and exchanges of a simulation in short: ids by their first digits, a claim as {@code
 * job@token}, a slot as {@code group#slot@token}.
 */
final class Narration {
  private Narration() {}

  static String of(ShardState state) {
    Map<String, String> running = new TreeMap<>();
    state.jobs().running().forEach((id, job) -> running.put(id(id), claim(job)));
    Map<String, Map<Integer, String>> slots = new TreeMap<>();
    state
        .limits()
        .slots()
        .forEach(
            (group, held) ->
                held.forEach(
                    (slot, holder) ->
                        slots
                            .computeIfAbsent(group, any -> new TreeMap<>())
                            .put(slot, holder(holder))));
    return "state %d: limits %d, workers %s, running %s, back %s, slots %s, ended %d"
        .formatted(
            state.edition().version(),
            state.limits().rulesVersion(),
            state.limits().workers().keySet().stream().map(Narration::id).sorted().toList(),
            running,
            state.jobs().back().keySet().stream().map(p -> p.segment() + "/" + p.index()).toList(),
            slots,
            state.archive().finished().size());
  }

  private static String claim(RunningJob job) {
    return "with " + id(job.claim().worker()) + "@" + job.claim().token();
  }

  private static String holder(SlotHolder holder) {
    return (holder.permit() == null ? id(holder.worker()) : "permit") + "@" + holder.token();
  }

  static String of(Exchange exchange) {
    return "ends %s, has started %s, releases %s, wants %d with spare %s"
        .formatted(
            exchange.outcomes().stream().map(Narration::of).toList(),
            ids(exchange.started()),
            slots(exchange.released()),
            exchange.demand().jobs(),
            new TreeMap<>(exchange.demand().spare()));
  }

  private static String of(JobOutcome outcome) {
    return id(outcome.id())
        + "@"
        + outcome.token()
        + " "
        + outcome.verdict().getClass().getSimpleName();
  }

  static String of(Answer answer) {
    return "accepted %s, jobs %s, slots %s, full %s%s"
        .formatted(
            ids(answer.accepted()),
            answer.jobs().stream().map(Narration::of).toList(),
            slots(answer.slots()),
            answer.full(),
            answer.stale() ? ", reconcile" : "");
  }

  private static String of(ClaimedJob job) {
    return id(job.id()) + "@" + job.token() + job.gates();
  }

  static String of(Standing standing) {
    return "jobs %s, slots %s, draining %s"
        .formatted(ids(standing.jobs().keySet()), slots(standing.slots()), standing.draining());
  }

  static String of(Map<UUID, Long> claims) {
    return claims.entrySet().stream()
        .map(claim -> id(claim.getKey()) + "@" + claim.getValue())
        .sorted()
        .toList()
        .toString();
  }

  static String slots(Collection<HeldSlot> slots) {
    return slots.stream()
        .map(slot -> slot.group() + "#" + slot.slot() + "@" + slot.token())
        .sorted()
        .toList()
        .toString();
  }

  private static List<String> ids(Set<UUID> ids) {
    return ids.stream().map(Narration::id).sorted().toList();
  }

  private static String id(UUID id) {
    return id(id.toString());
  }

  static String id(String id) {
    return id.substring(0, Math.min(8, id.length()));
  }
}
