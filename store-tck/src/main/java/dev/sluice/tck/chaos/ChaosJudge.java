package dev.sluice.tck.chaos;

import dev.sluice.tck.LimitTimeline;
import dev.sluice.tck.OverlapMeter.Interval;
import dev.sluice.tck.chaos.ChaosEvent.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Reads from the logs of all processes what really happened, and says what should not have.
 *
 * <p>An attempt runs from its start line to its end or interrupt line. A killed worker's attempts
 * end with the kill. A frozen worker's attempts end with its lease: with every line a worker says
 * until when it is sure of its lease, and until the latest such moment nobody may start in the
 * place of what it runs, frozen or not. (How much of a lease is left at a freeze is not to be
 * guessed: on a busy machine renewals come late.) A worker frozen between its last look at the
 * lease and the handler's first line starts that handler when it wakes. That is beyond anyone's
 * power; its line says that no lease was left, its token is old by then, and that is checked
 * instead.
 */
public final class ChaosJudge {
  private final List<ChaosFleet.Fate> fates;
  private final Map<String, Long> sureUntil = new HashMap<>();
  private final Map<UUID, List<Attempt>> jobs = new HashMap<>();
  private final Set<Key> accepted = new HashSet<>();
  private final List<Attempt> attempts = new ArrayList<>();

  private record Key(UUID job, long token) {}

  private record Attempt(ChaosEvent start, ChaosEvent end) {
    /** Whether it began before the freeze and was not over before its worker was woken. */
    boolean wasOvertakenBy(ChaosFleet.Fate fate) {
      return fate.isFreeze()
          && start.pid() == fate.pid()
          && start.at() < fate.wokenAt()
          && (end == null || end.at() >= fate.wokenAt());
    }

    @Override
    public String toString() {
      return "attempt %d at %s by worker %s (pid %d)"
          .formatted(start.token(), start.job(), start.lease().worker(), start.pid());
    }

    Key key() {
      return new Key(start.job(), start.token());
    }
  }

  ChaosJudge(List<ChaosEvent> events, List<ChaosFleet.Fate> fates) {
    this.fates = fates;
    Map<Key, ChaosEvent> ends = new HashMap<>();
    for (ChaosEvent event : events) {
      if (event.hasLease()) {
        sureUntil.merge(event.lease().worker(), event.lease().until(), Math::max);
      }
      if (event.kind() == Kind.ACCEPTED) {
        accepted.add(new Key(event.job(), event.token()));
      } else if (event.kind() != Kind.START) {
        ends.put(new Key(event.job(), event.token()), event);
      }
    }
    for (ChaosEvent event : events) {
      if (event.kind() == Kind.START) {
        Attempt attempt = new Attempt(event, ends.get(new Key(event.job(), event.token())));
        attempts.add(attempt);
        jobs.computeIfAbsent(event.job(), id -> new ArrayList<>()).add(attempt);
      }
    }
  }

  /** What was done and what came of it, in a line. */
  public String summary() {
    long freezes = fates.stream().filter(ChaosFleet.Fate::isFreeze).count();
    return "%d attempts, %d kills, %d freezes, %d attempts overtaken, %d jobs run again"
        .formatted(
            attempts.size(), fates.size() - freezes, freezes, overtakenAttempts(), runAgain());
  }

  /** How many jobs were started more than once. */
  public long runAgain() {
    return jobs.values().stream().filter(all -> all.size() > 1).count();
  }

  /** The jobs whose handler ended by itself at least once. */
  public Set<UUID> completed() {
    Set<UUID> completed = new HashSet<>();
    for (Attempt attempt : attempts) {
      if (attempt.end() != null && attempt.end().kind() == Kind.END) {
        completed.add(attempt.start().job());
      }
    }
    return completed;
  }

  /** When the attempts of each group held their slots, as far as that is certain. */
  public Map<String, List<Interval>> intervals() {
    Map<String, List<Interval>> intervals = new TreeMap<>();
    for (Attempt attempt : attempts) {
      long start = attempt.start().at();
      long end = attempt.end() == null ? Long.MAX_VALUE : attempt.end().at();
      boolean beyondAnyonesPower = false;
      for (ChaosFleet.Fate fate : fates) {
        if (fate.pid() != attempt.start().pid()) {
          continue;
        }
        if (!fate.isFreeze()) {
          end = Math.min(end, Math.max(start, fate.at()));
        } else if (start < fate.wokenAt()) {
          String worker = attempt.start().lease().worker();
          end = Math.min(end, sureUntil.getOrDefault(worker, start));
        } else {
          beyondAnyonesPower |= !attempt.start().hasLease();
        }
      }
      if (!beyondAnyonesPower) {
        intervals
            .computeIfAbsent(attempt.start().group(), g -> new ArrayList<>())
            .add(new Interval(start, end, attempt.toString()));
      }
    }
    return intervals;
  }

  /**
   * When the jobs of each group were under way, each from its first start to the end of its last
   * attempt: for jobs that keep their place between attempts, as steps of a workflow do. No lease
   * and no freeze matters here. A job whose last attempt did not end by itself is under way still.
   */
  public Map<String, List<Interval>> spans() {
    Map<String, List<Interval>> spans = new TreeMap<>();
    jobs.forEach(
        (job, all) -> {
          long start = all.stream().mapToLong(attempt -> attempt.start().at()).min().orElseThrow();
          Attempt last = byToken(all).get(all.size() - 1);
          boolean over = last.end() != null && last.end().kind() == Kind.END;
          spans
              .computeIfAbsent(last.start().group(), g -> new ArrayList<>())
              .add(new Interval(start, over ? last.end().at() : Long.MAX_VALUE, last.toString()));
        });
    return spans;
  }

  private static List<Attempt> byToken(List<Attempt> all) {
    List<Attempt> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparingLong(attempt -> attempt.start().token()));
    return sorted;
  }

  /** Every start beyond a group's limit, in words. */
  public List<String> violations(Map<String, LimitTimeline> limits, LimitTimeline others) {
    return violations(intervals(), limits, others);
  }

  /** Every job that got under way beyond a group's limit, in words; see {@link #spans}. */
  public List<String> spanViolations(Map<String, LimitTimeline> limits, LimitTimeline others) {
    return violations(spans(), limits, others);
  }

  private List<String> violations(
      Map<String, List<Interval>> all, Map<String, LimitTimeline> limits, LimitTimeline others) {
    List<String> violations = new ArrayList<>();
    all.forEach(
        (group, intervals) -> {
          for (String violation : limits.getOrDefault(group, others).violations(intervals)) {
            List<ChaosFleet.Fate> involved =
                fates.stream()
                    .filter(fate -> violation.contains("(pid " + fate.pid() + ")"))
                    .toList();
            violations.add("%s: %s; %s".formatted(group, violation, involved));
          }
        });
    return violations;
  }

  /**
   * Attempts that began under the token of another, or although the one before neither had failed
   * nor been killed and its worker was sure of its lease; in words.
   */
  public List<String> hastyRestarts() {
    List<String> hasty = new ArrayList<>();
    for (List<Attempt> all : jobs.values()) {
      List<Attempt> sorted = byToken(all);
      for (int i = 1; i < sorted.size(); i++) {
        Attempt before = sorted.get(i - 1);
        ChaosEvent start = sorted.get(i).start();
        boolean sure = sureUntil.getOrDefault(before.start().lease().worker(), 0L) > start.at();
        if (start.token() == before.start().token() || (sure && !wasGivenUp(before, start.at()))) {
          hasty.add("%s, after %s".formatted(sorted.get(i), before));
        }
      }
    }
    return hasty;
  }

  /** Whether by this time an attempt had failed, or its process was dead. */
  private boolean wasGivenUp(Attempt attempt, long time) {
    boolean failed =
        attempt.end() != null && attempt.end().kind() != Kind.END && attempt.end().at() <= time;
    return failed
        || fates.stream()
            .anyMatch(
                fate ->
                    !fate.isFreeze() && fate.pid() == attempt.start().pid() && fate.at() <= time);
  }

  /**
   * Attempts that were in flight when their worker was frozen past its lease, and woke with it.
   * Each must end soon, must not be accepted, and its job must have run again under a larger token.
   */
  private List<Attempt> overtaken() {
    List<Attempt> overtaken = new ArrayList<>();
    for (ChaosFleet.Fate fate : fates) {
      attempts.stream().filter(attempt -> attempt.wasOvertakenBy(fate)).forEach(overtaken::add);
    }
    return overtaken;
  }

  /** How many attempts were in flight when their worker was frozen, and woke with it. */
  public int overtakenAttempts() {
    return overtaken().size();
  }

  /** What is wrong with attempts that were overtaken, in words. */
  public List<String> harmDone() {
    List<String> harm = new ArrayList<>();
    for (Attempt attempt : overtaken()) {
      if (accepted.contains(attempt.key())) {
        harm.add("a completion by a worker that had lost its lease was accepted: " + attempt);
      }
      boolean again =
          jobs.get(attempt.start().job()).stream()
              .anyMatch(other -> other.start().token() > attempt.start().token());
      if (!again) {
        harm.add("an overtaken job did not run again under a larger token: " + attempt);
      }
    }
    // The guarded register: it takes a write only under a token at least as large as the largest
    // it has seen. The completion the store accepted must be the one the register ends with.
    for (List<Attempt> ofJob : jobs.values()) {
      long largest =
          ofJob.stream().mapToLong(attempt -> attempt.start().token()).max().orElseThrow();
      for (Attempt attempt : ofJob) {
        if (accepted.contains(attempt.key()) && attempt.start().token() != largest) {
          harm.add("a job was started again after its success was accepted: " + attempt);
        }
      }
    }
    return harm;
  }

  /** How long after it was woken each overtaken handler was interrupted, shortest first. */
  public List<Duration> interruptLatencies() {
    List<Duration> latencies = new ArrayList<>();
    for (ChaosFleet.Fate fate : fates) {
      for (Attempt attempt : attempts) {
        if (attempt.wasOvertakenBy(fate)
            && attempt.end() != null
            && attempt.end().kind() == Kind.INTERRUPT) {
          latencies.add(Duration.ofNanos(attempt.end().at() - fate.wokenAt()));
        }
      }
    }
    latencies.sort(Comparator.naturalOrder());
    return latencies;
  }
}
