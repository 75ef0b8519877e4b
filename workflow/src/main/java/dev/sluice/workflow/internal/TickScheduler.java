package dev.sluice.workflow.internal;

import dev.sluice.StoreUnavailableException;
import dev.sluice.workflow.internal.Orchestrator.News;
import dev.sluice.workflow.internal.Orchestrator.Occasion;
import dev.sluice.workflow.internal.Orchestrator.Turn;
import dev.sluice.workflow.tick.StepJobId;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ticks runs of which something has been heard, in the background. What is heard of a run while it
 * is being ticked, or while its next tick waits, makes one tick more.
 *
 * <p>A run is ticked at once, a few times in a row; if it keeps coming, at most {@value
 * #PER_SECOND} times a second, and looking in vain takes no more than a third of the time. So a
 * chain of steps does not wait, and a thousand steps that end in the same second are a few ticks.
 * That holds for all processes together: who finds that another has just looked waits for a while.
 * A tick is told which jobs have ended here, so that it need not look at the others.
 */
final class TickScheduler implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TickScheduler.class);
  private static final int THREADS = 4;
  private static final int PER_SECOND = 50;
  private static final int BURST = 4;

  /** On a machine that has too much to do, a look may take long; the run should not wait longer. */
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  private static final int TRIES = 5;
  private static final int MANY_RUNS = 10_000;
  private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(10);
  private static final int SWEPT_AT_ONCE = 100;
  private static final int MOST_PAGES = 10;

  private static final Turn NONE = new Turn(Duration.ZERO, 0, false, false);

  private final Orchestrator orchestrator;
  private final IntFunction<List<UUID>> overdue;
  private final ScheduledExecutorService threads;
  private final Map<UUID, Pace> paces = new HashMap<>();

  /** What is known of a run here. */
  private static final class Pace {
    boolean waiting;
    boolean ticking;
    boolean heard;
    boolean more;
    boolean owing;
    Set<UUID> ended = new HashSet<>();
    int failures;
    Duration pause = Duration.ZERO;
    double credit = BURST;
    long lastTick = System.nanoTime();
    long notBefore = System.nanoTime();

    /** How long until the next tick may begin. */
    long delay(long now) {
      credit = Math.min(BURST, credit + (now - lastTick) * PER_SECOND / 1e9);
      lastTick = now;
      long forCredit = credit >= 1 ? 0 : (long) ((1 - credit) * 1e9 / PER_SECOND);
      return Math.max(forCredit, notBefore - now);
    }

    /** A look that let steps start was worth it; one that did not should not come again soon. */
    void learn(Turn turn) {
      if (!turn.effort().isZero()) {
        Duration effort = turn.effort();
        Duration next = turn.started() > 0 ? effort.dividedBy(2) : effort.multipliedBy(2);
        pause = next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE;
      }
    }

    boolean isIdle(long now) {
      return !waiting && !ticking && !heard && now - lastTick > TimeUnit.SECONDS.toNanos(5);
    }
  }

  TickScheduler(Orchestrator orchestrator, IntFunction<List<UUID>> overdue) {
    this.orchestrator = orchestrator;
    this.overdue = overdue;
    AtomicInteger number = new AtomicInteger();
    ThreadFactory factory =
        work -> {
          Thread thread = new Thread(work, "sluice-workflow-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        };
    this.threads = Executors.newScheduledThreadPool(THREADS, factory);
    threads.scheduleWithFixedDelay(
        this::sweep,
        SWEEP_INTERVAL.toMillis() / 2,
        SWEEP_INTERVAL.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  /** A job of a run has ended. */
  synchronized void ended(StepJobId job) {
    Pace pace = paces.computeIfAbsent(job.run(), any -> new Pace());
    pace.ended.add(job.id());
    heard(job.run(), pace);
  }

  /** Something else about this run has changed. */
  synchronized void heardOf(UUID run) {
    Pace pace = paces.computeIfAbsent(run, any -> new Pace());
    pace.more = true;
    heard(run, pace);
  }

  private void heard(UUID run, Pace pace) {
    if (pace.ticking) {
      pace.heard = true;
    } else if (!pace.waiting) {
      schedule(run, pace, 0);
    }
    if (paces.size() > MANY_RUNS) {
      long now = System.nanoTime();
      paces.values().removeIf(each -> each.isIdle(now));
    }
  }

  private void schedule(UUID run, Pace pace, long atLeast) {
    long delay = Math.max(atLeast, pace.delay(System.nanoTime()));
    try {
      threads.schedule(() -> tick(run, pace), delay, TimeUnit.NANOSECONDS);
      pace.waiting = true;
    } catch (RejectedExecutionException e) {
      log.debug("Workflows are closed here; others tick run {}.", run);
    }
  }

  private void tick(UUID run, Pace pace) {
    News news;
    synchronized (this) {
      news = new News(pace.ended, pace.more);
      pace.ended = new HashSet<>();
      pace.more = false;
      pace.waiting = false;
      pace.ticking = true;
      pace.heard = false;
      pace.credit -= 1;
    }
    boolean failed = false;
    Turn turn = NONE;
    try {
      turn = orchestrator.tickUnlessWithin(pace.pause, run, news);
    } catch (RuntimeException e) {
      failed = true;
      logFailure(run, e, pace.failures);
    } finally {
      synchronized (this) {
        pace.ticking = false;
        pace.learn(turn);
        pace.notBefore = System.nanoTime() + pace.pause.toNanos();
        pace.failures = failed ? pace.failures + 1 : 0;
        if (failed || turn.overtaken()) {
          pace.ended.addAll(news.ended());
          pace.more |= news.more();
        } else if (turn.partial()) {
          lookAgainLater(run, pace);
        }
        if (pace.heard || turn.overtaken() || (failed && pace.failures < TRIES)) {
          schedule(run, pace, failed ? TimeUnit.SECONDS.toNanos(pace.failures) : 0);
        }
      }
    }
  }

  /**
   * A tick that left jobs out is followed by one that may look at all of them, whether or not
   * anything more is heard of the run: a job that ended unheard is not found otherwise before the
   * run is overdue.
   */
  private void lookAgainLater(UUID run, Pace pace) {
    if (!pace.owing) {
      Runnable look =
          () -> {
            synchronized (this) {
              pace.owing = false;
              heardOf(run);
            }
          };
      try {
        threads.schedule(look, Decider.FRESH.toMillis(), TimeUnit.MILLISECONDS);
        pace.owing = true;
      } catch (RejectedExecutionException e) {
        log.debug("Workflows are closed here; others look at run {}.", run);
      }
    }
  }

  private void logFailure(UUID run, RuntimeException e, int before) {
    if (threads.isShutdown()) {
      log.debug("Run {} was not ticked to the end before workflows were closed here.", run, e);
    } else if (e instanceof StoreUnavailableException && before < TRIES - 1) {
      log.info("Run {} could not be ticked; again soon. {}", run, e.getMessage());
    } else {
      log.warn("Run {} could not be ticked; it will be looked at later.", run, e);
    }
  }

  /**
   * Looks for runs whose tick was lost. One that cannot be ticked is looked at later, so that it
   * does not keep the others.
   */
  private void sweep() {
    try {
      List<UUID> found = overdue.apply(SWEPT_AT_ONCE);
      for (int pages = 1; !found.isEmpty() && pages <= MOST_PAGES; pages++) {
        found.forEach(this::sweep);
        found = found.size() < SWEPT_AT_ONCE ? List.of() : overdue.apply(SWEPT_AT_ONCE);
      }
    } catch (RuntimeException | Error e) {
      if (!threads.isShutdown()) {
        log.warn("Runs whose tick was lost could not be looked for; again soon.", e);
      }
    }
  }

  private void sweep(UUID run) {
    try {
      orchestrator.tick(run, Occasion.OVERDUE);
    } catch (StoreUnavailableException e) {
      throw e;
    } catch (RuntimeException e) {
      logFailure(run, e, TRIES);
      orchestrator.postpone(run);
    }
  }

  /** In the background, once. */
  void execute(Runnable work) {
    threads.execute(work);
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
        threads.shutdownNow();
        threads.awaitTermination(1, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
