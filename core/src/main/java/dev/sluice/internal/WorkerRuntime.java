package dev.sluice.internal;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.sluice.SluiceException;
import dev.sluice.Worker;
import dev.sluice.spi.JobStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running worker: one {@link ExchangeLoop}, the handlers it starts, a keeper and a watchdog for
 * its lease, and chores.
 *
 * <p>Stopping goes in steps, each bounded: claim nothing more and hand back what has not started;
 * wait for handlers up to the grace period; interrupt the rest and wait a little for them; report
 * and sign off. A handler that ignores even that keeps its slot: the loop and the keeper go on for
 * it in the background, because signing off would give its slot to another while it still runs.
 */
public final class WorkerRuntime implements Worker {
  private static final Logger log = LoggerFactory.getLogger(WorkerRuntime.class);

  /** How long interrupted handlers get to return. */
  private static final Duration INTERRUPTED_GRACE = Duration.ofSeconds(5);

  /** How long the last outcomes get to reach the store. */
  private static final Duration LAST_EXCHANGE = Duration.ofSeconds(5);

  private final Workshop workshop;
  private final ExchangeLoop loop;
  private final Thread loopThread;
  private final ChoreRunner chores;
  private final ChoreRunner heralding;
  private final Thread shutdownHook;
  private Boolean stoppedInTime;

  private WorkerRuntime(WorkerEnvironment environment) {
    workshop = Workshop.of(environment);
    loop = new ExchangeLoop(workshop);
    WorkerSettings.Timing timing = environment.settings().timing();
    chores =
        new ChoreRunner(
            environment,
            List.of(
                workshop.rescuer(),
                new JobCleaner(environment.store(), timing.retention()),
                new SlotAuditor(
                    environment.store().limits()::auditIfDue, workshop.announcer()::audited)));
    heralding = new ChoreRunner(environment, List.of(loop.herald()));
    shutdownHook = new Thread(this::close, "sluice-shutdown");
    rememberShutdownHook();
    environment.settings().reporting().refusals().join(workshop.chronicle());
    loopThread = DaemonThreads.start("sluice-worker-" + id(), this::work);
    log.info(
        "Worker {} serves the queues {} with {} tasks.",
        loop.current().worker(),
        environment.settings().queues(),
        environment.tasks().size());
  }

  private void work() {
    // Operators see a worker drain: it says how it fares until it has signed off.
    try (heralding) {
      loop.run();
    } finally {
      workshop.environment().settings().reporting().refusals().leave(workshop.chronicle());
    }
  }

  /** Recovers what dead workers left, signs on and starts. */
  public static Worker start(
      JobStore store, Json json, WorkerSettings settings, Map<String, RegisteredTask<?>> tasks) {
    return start(
        new WorkerEnvironment(
            store,
            json,
            settings,
            tasks,
            ElapsedClock.SYSTEM,
            () -> ThreadLocalRandom.current().nextDouble()));
  }

  static Worker start(WorkerEnvironment environment) {
    return new WorkerRuntime(environment);
  }

  @Override
  public String id() {
    return loop.current().workerId();
  }

  @Override
  public String name() {
    return workshop.environment().settings().name();
  }

  @Override
  public int running() {
    return workshop.permits().inUse();
  }

  @Override
  public synchronized boolean stop(Duration grace) {
    if (stoppedInTime == null) {
      stoppedInTime = stopOnce(grace);
    }
    return stoppedInTime;
  }

  @Override
  public void close() {
    stop(workshop.environment().settings().timing().grace());
  }

  private boolean stopOnce(Duration grace) {
    forgetShutdownHook();
    loop.stop();
    chores.close();
    boolean inTime = false;
    try {
      inTime = workshop.permits().awaitNoneInUse(NANOSECONDS.convert(grace));
      if (!inTime) {
        log.warn(
            "Worker {}: handlers did not finish within {} and are interrupted: {}.",
            loop.current().worker(),
            Durations.format(grace),
            loop.current().runningByTask());
        loop.current().handBackRunning();
        if (!workshop.permits().awaitNoneInUse(INTERRUPTED_GRACE.toNanos())) {
          log.error(
              "Worker {}: handlers ignore their interruption: {}. Their slots stay taken until they return or this process ends.",
              loop.current().worker(),
              loop.current().runningByTask());
          return false;
        }
      }
      loopThread.join(LAST_EXCHANGE.toMillis());
    } catch (InterruptedException e) {
      loop.current().handBackRunning();
      Thread.currentThread().interrupt();
    }
    if (loopThread.isAlive()) {
      abandon();
    }
    return inTime;
  }

  /** The store cannot be told of the last outcomes; the jobs run again when the lease ends. */
  private void abandon() {
    if (workshop.permits().inUse() == 0) {
      log.error(
          "Worker {} could not tell the store of its last outcomes; their jobs will run again.",
          loop.current().worker());
      loop.abandon();
    }
  }

  private void rememberShutdownHook() {
    try {
      Runtime.getRuntime().addShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      chores.close();
      heralding.close();
      loop.current().signOff();
      throw new SluiceException("No worker can be started while the process shuts down.", e);
    }
  }

  private void forgetShutdownHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      log.debug("The process is shutting down; the worker drains.");
    }
  }
}
