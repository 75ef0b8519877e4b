package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's standing in one of several shards: the session there, what the worker holds by it, and
 * whether the shard is in trouble.
 *
 * <p>A shard in trouble is left alone for {@link #PAUSE}. Until it works again the worker keeps
 * what it had: its lease is an object of its own and goes on, its jobs run on, and their outcomes
 * are deferred. What the worker has come to declare meanwhile is owed to the shard, and told before
 * anything else. The first exchange that succeeds says so, and the worker reconciles.
 */
final class ShardMembership {
  private static final Logger log = LoggerFactory.getLogger(ShardMembership.class);
  static final Duration PAUSE = Duration.ofSeconds(1);

  private final int shard;
  private final ObjectWorkerSession session;
  private final StoreEnvironment environment;
  private final Map<UUID, Claim> jobs = new HashMap<>();
  private final Set<HeldSlot> slots = new HashSet<>();
  private final Set<UUID> owedStarts = new HashSet<>();
  private final Map<UUID, String> owedProgress = new HashMap<>();
  private Optional<Map<Group, Integer>> owedLimits = Optional.empty();
  private Set<String> draining = Set.of();
  private RuntimeException trouble;
  private long failedAt;
  private boolean stale;

  /** Under which token a job is held, and in which limited groups it is. */
  private record Claim(long token, Standing.Held held) {}

  /** {@code stale} says whether the worker is to reconcile before it is given anything here. */
  ShardMembership(
      int shard, ObjectWorkerSession session, StoreEnvironment environment, boolean stale) {
    this.stale = stale;
    this.shard = shard;
    this.session = session;
    this.environment = environment;
  }

  int shard() {
    return shard;
  }

  ObjectWorkerSession session() {
    return session;
  }

  /** Whether the worker has to reconcile before it is given anything here, and can. */
  boolean isStale() {
    return stale && trouble == null;
  }

  /** Why the shard could not be spoken to the last time; null if it could. */
  RuntimeException trouble() {
    return trouble;
  }

  /** Whether it is too early to try a shard in trouble again. */
  boolean isLeftAlone() {
    return trouble != null && environment.nanoTime().getAsLong() - failedAt < PAUSE.toNanos();
  }

  /** The part of an exchange that concerns this shard, with this demand. */
  Exchange partOf(Exchange whole, Demand demand) {
    Set<UUID> started = new HashSet<>(owedStarts);
    started.addAll(whole.started());
    started.retainAll(jobs.keySet());
    Map<UUID, String> progress = new HashMap<>(owedProgress);
    progress.putAll(whole.progress());
    progress.keySet().retainAll(jobs.keySet());
    return new Exchange(
        outcomesIn(whole),
        started,
        progress,
        whole.released().stream().filter(slots::contains).toList(),
        demand);
  }

  /** Keeps what a shard in trouble could not be told, to tell it later. */
  void owe(Exchange part) {
    owedStarts.addAll(part.started());
    owedProgress.putAll(part.progress());
  }

  /** Whether the worker has jobs or slots of this shard. */
  boolean holdsAnything() {
    return !jobs.isEmpty() || !slots.isEmpty();
  }

  private List<JobOutcome> outcomesIn(Exchange whole) {
    return whole.outcomes().stream().filter(outcome -> jobs.containsKey(outcome.id())).toList();
  }

  /** The jobs of this shard whose outcome an exchange reports. */
  Set<UUID> endedIn(Exchange whole) {
    Set<UUID> ended = new HashSet<>();
    outcomesIn(whole).forEach(outcome -> ended.add(outcome.id()));
    return ended;
  }

  /** Declares these limits: now, or when the shard works again. */
  void declare(Map<Group, Integer> limits) {
    owedLimits = Optional.of(limits);
    if (trouble == null) {
      declareOwed();
    }
  }

  private void declareOwed() {
    owedLimits.ifPresent(session::declare);
    owedLimits = Optional.empty();
  }

  /** One exchange with this shard. */
  Answer exchange(Exchange part) {
    declareOwed();
    Answer answer = session.exchange(part);
    for (JobOutcome outcome : part.outcomes()) {
      Claim claim = jobs.get(outcome.id());
      if (claim != null && claim.token == outcome.token()) {
        jobs.remove(outcome.id());
      }
    }
    part.released().forEach(slots::remove);
    for (ClaimedJob job : answer.jobs()) {
      jobs.put(job.id(), new Claim(job.token(), job.bond().held()));
    }
    slots.addAll(answer.slots());
    owedStarts.removeAll(part.started());
    owedProgress.keySet().removeAll(part.progress().keySet());
    stale = stale || answer.stale() || trouble != null;
    worked();
    return answer;
  }

  /** Agrees anew on who holds what. */
  Standing reconcile(Map<UUID, Long> known) {
    declareOwed();
    Standing standing = session.reconcile(known);
    jobs.keySet().retainAll(standing.jobs().keySet());
    jobs.replaceAll((id, claim) -> new Claim(claim.token, standing.jobs().get(id)));
    slots.clear();
    slots.addAll(standing.slots());
    draining = standing.draining();
    stale = false;
    worked();
    return standing;
  }

  /** What the worker holds as far as can be told while the shard is in trouble. */
  Standing unreconciled(Map<UUID, Long> known) {
    stale = true;
    jobs.entrySet().removeIf(e -> !Objects.equals(known.get(e.getKey()), e.getValue().token));
    Map<UUID, Standing.Held> held = new HashMap<>();
    jobs.forEach((id, claim) -> held.put(id, claim.held));
    return new Standing(held, new ArrayList<>(slots), draining);
  }

  /** Takes note that the shard could not be spoken to. */
  void failed(RuntimeException cause) {
    if (trouble == null) {
      log.warn(
          "Shard {} is in trouble: {} The others go on; this one is tried again until it works.",
          shard,
          cause.getMessage(),
          cause);
    } else {
      log.debug("Shard {} is still in trouble.", shard, cause);
    }
    trouble = cause;
    failedAt = environment.nanoTime().getAsLong();
  }

  private void worked() {
    if (trouble != null) {
      trouble = null;
      log.info("Shard {} works again.", shard);
    }
  }
}
