package dev.sluice.tck.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Strikes the processes of a fleet at random, every second or two: kills one and starts another in
 * its place, or freezes the busiest and wakes it when others have long been given its jobs. Used by
 * one thread, which calls {@link #rage} several times a second and {@link #subside} in the end.
 */
public final class ChaosStorm {
  /**
   * How long a test goes on with it; {@code -Dsluice.chaos.seconds=600} has it take ten minutes.
   */
  public static final Duration LENGTH =
      Duration.ofSeconds(Long.getLong("sluice.chaos.seconds", 20));

  /** Whether there is time for limits of hundreds and a thousand keys too. */
  public static final boolean IS_LONG = LENGTH.toMinutes() >= 1;

  private static final Duration LEAST_PAUSE = Duration.ofMillis(1_200);
  private static final Duration MOST_PAUSE = Duration.ofMillis(2_400);
  private static final long TICK_MS = 100;

  /** For a process that was woken: to notice, and to log what it notices. */
  private static final Duration SPARED = Duration.ofSeconds(2);

  private final Random random;
  private final ChaosFleet fleet;
  private final Duration frozenFor;
  private final Deque<ChaosFleet.Frozen> frozen = new ArrayDeque<>();
  private final Map<Long, Long> sparedUntil = new HashMap<>();
  private long nextBlow = System.nanoTime() + LEAST_PAUSE.toNanos();
  private int blows;

  /** Over this fleet; what is frozen stays so for this long. */
  public ChaosStorm(Random random, ChaosFleet fleet, Duration frozenFor) {
    this.random = random;
    this.fleet = fleet;
    this.frozenFor = frozenFor;
  }

  /** Strikes if it is time to, wakes who has been frozen long enough, and takes a breath. */
  public void rage() throws IOException, InterruptedException {
    wake();
    if (System.nanoTime() >= nextBlow) {
      strike();
      long pause = random.nextLong(LEAST_PAUSE.toNanos(), MOST_PAUSE.toNanos());
      nextBlow = System.nanoTime() + pause;
    }
    Thread.sleep(TICK_MS);
  }

  /** Strikes no more, and returns when nobody is frozen. */
  public void subside() throws IOException, InterruptedException {
    while (!frozen.isEmpty()) {
      wake();
      Thread.sleep(TICK_MS);
    }
  }

  private void wake() throws IOException, InterruptedException {
    long now = System.nanoTime();
    if (!frozen.isEmpty() && now - frozen.peek().at() > frozenFor.toNanos()) {
      ChaosFleet.Frozen woken = frozen.poll();
      fleet.wake(woken);
      sparedUntil.put(woken.process().pid(), now + SPARED.toNanos());
    }
  }

  private void strike() throws IOException, InterruptedException {
    long now = System.nanoTime();
    List<Process> victims = new ArrayList<>(fleet.running());
    victims.removeIf(
        process ->
            frozen.stream().anyMatch(other -> other.process().equals(process))
                || sparedUntil.getOrDefault(process.pid(), now) > now);
    if (victims.size() < 2) {
      return;
    }
    Process victim = victims.get(random.nextInt(victims.size()));
    // A worker that is frozen while it signs on does not start, and its process ends.
    if (kills(blows++) || !fleet.isReady(victim)) {
      fleet.killAndReplace(victim);
    } else {
      frozen.add(fleet.freeze(busy(victims).orElse(victim)));
    }
  }

  /** The one with most handlers at work: there is something to overtake. */
  private Optional<Process> busy(List<Process> victims) throws IOException {
    Optional<Process> busiest = Optional.empty();
    int most = 0;
    for (Process victim : victims) {
      int atWork = fleet.handlersAtWork(victim);
      if (atWork > most) {
        busiest = Optional.of(victim);
        most = atWork;
      }
    }
    return busiest;
  }

  /** The first two blows differ, so that hardly a test goes without either. */
  private boolean kills(int blow) {
    return blow == 0 || (blow > 1 && random.nextInt(5) < 2);
  }
}
