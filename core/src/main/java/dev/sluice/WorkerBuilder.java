package dev.sluice;

import dev.sluice.internal.Actors;
import dev.sluice.internal.CallerRefusals;
import dev.sluice.internal.Durations;
import dev.sluice.internal.Json;
import dev.sluice.internal.RegisteredTask;
import dev.sluice.internal.WorkerRuntime;
import dev.sluice.internal.WorkerSettings;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.Tracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** Puts a worker together: its handlers, queues and bounds. Not thread-safe. */
public final class WorkerBuilder {
  /** How many handlers run at once in one worker. */
  public static final int DEFAULT_CONCURRENCY = 64;

  /** How long a worker may be silent before it counts as dead. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  /** How long {@link Worker#close} lets handlers finish. */
  public static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);

  /** How often an idle worker looks for work when nothing wakes it. */
  public static final Duration DEFAULT_POLL = Duration.ofSeconds(1);

  /** How long finished jobs are kept. */
  public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);

  /**
   * How long finished jobs are kept at least: what is submitted again under its own id, by a
   * schedule or by a caller who lost an answer, is recognised for as long.
   */
  public static final Duration SHORTEST_RETENTION = Duration.ofMinutes(10);

  private final JobStore store;
  private final Json json;
  private final Map<String, RegisteredTask<?>> tasks = new LinkedHashMap<>();
  private final Map<String, Integer> localLimits = new LinkedHashMap<>();
  private final Set<String> queues = new LinkedHashSet<>();
  private final List<WorkerListener> listeners;
  private final Map<String, Supplier<?>> notices = new LinkedHashMap<>();
  private final Tracing tracing;
  private final CallerRefusals refusals;
  private String name = hostAndProcess();
  private int concurrency = DEFAULT_CONCURRENCY;
  private Duration lease = DEFAULT_LEASE;
  private Duration grace = DEFAULT_GRACE;
  private Duration poll = DEFAULT_POLL;
  private Duration retention = DEFAULT_RETENTION;

  WorkerBuilder(
      JobStore store,
      Json json,
      List<? extends WorkerListener> listeners,
      Tracing tracing,
      CallerRefusals refusals) {
    this.store = store;
    this.json = json;
    this.listeners = new ArrayList<>(listeners);
    this.tracing = tracing;
    this.refusals = refusals;
  }

  /** Runs jobs of this task with a handler that returns nothing. */
  public <T> WorkerBuilder handle(Task<T> task, Handler<? super T> handler) {
    Objects.requireNonNull(handler, "handler");
    return handleReturning(
        task,
        (payload, context) -> {
          handler.handle(payload, context);
          return null;
        });
  }

  /** Runs jobs of this task with a handler whose result is stored with the job. */
  public <T, R> WorkerBuilder handleReturning(
      Task<T> task, Handler.Returning<? super T, ? extends R> handler) {
    Objects.requireNonNull(handler, "handler");
    if (tasks.putIfAbsent(task.name(), new RegisteredTask<T>(task, handler::handle)) != null) {
      throw new InvalidRequestException("The task '" + task.name() + "' has a handler already.");
    }
    return this;
  }

  /** Runs class-style jobs of this class. */
  public <J extends Job> WorkerBuilder handle(Class<J> jobClass) {
    return handle(Task.of(jobClass), Job::run);
  }

  /** The queues to serve; default {@value SubmitOptions#DEFAULT_QUEUE}. */
  public WorkerBuilder queues(String first, String... more) {
    queues.add(Names.require("queue", first));
    for (String queue : more) {
      queues.add(Names.require("queue", queue));
    }
    return this;
  }

  /**
   * How many handlers run at once in this worker, of all tasks; default {@value
   * #DEFAULT_CONCURRENCY}.
   */
  public WorkerBuilder concurrency(int concurrency) {
    this.concurrency = requireAtLeastOne("concurrency", concurrency);
    return this;
  }

  /**
   * How many handlers of one task run at once in this worker (a limit across workers is the task's
   * own).
   */
  public WorkerBuilder concurrencyOf(String task, int concurrency) {
    localLimits.put(
        Names.require("task", task),
        requireAtLeastOne("concurrency of task '" + task + "'", concurrency));
    return this;
  }

  /**
   * How long the worker may be silent before it counts as dead, at least 1 s; default {@link
   * SluiceOptions#lease}, 30 s. Renewed at a third of it.
   */
  public WorkerBuilder lease(Duration lease) {
    this.lease = requireLease(lease);
    return this;
  }

  static Duration requireLease(Duration lease) {
    if (lease.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new InvalidRequestException(
          "A lease of " + Durations.format(lease) + " is too short; use at least 1 s.");
    }
    return lease;
  }

  /** How long {@link Worker#close} lets running handlers finish; default 30 s. */
  public WorkerBuilder grace(Duration grace) {
    this.grace = Objects.requireNonNull(grace, "grace");
    return this;
  }

  /**
   * How often an idle worker looks for work when nothing wakes it, give or take a fifth; default 1
   * s.
   */
  public WorkerBuilder poll(Duration poll) {
    this.poll = Names.requirePositive("poll interval", poll);
    return this;
  }

  /**
   * How long finished jobs are kept; default 7 days.
   *
   * @throws InvalidRequestException if it is shorter than {@link #SHORTEST_RETENTION}
   */
  public WorkerBuilder retention(Duration retention) {
    if (retention.compareTo(SHORTEST_RETENTION) < 0) {
      throw new InvalidRequestException(
          "A retention of %s is too short to recognise what is submitted twice; use %s or more."
              .formatted(Durations.format(retention), Durations.format(SHORTEST_RETENTION)));
    }
    this.retention = retention;
    return this;
  }

  /** The worker's name, for operators; default host and process id. */
  public WorkerBuilder name(String name) {
    this.name = Names.require("worker name", name);
    return this;
  }

  /** Hears what the worker does. */
  public WorkerBuilder listener(WorkerListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  /**
   * Adds to what the worker tells operators every few seconds, see {@link WorkerBulletin#notices}:
   * the figures of its throttles, for example. What the supplier returns is written with the {@link
   * SluiceOptions#objectMapper mapper}, up to 16 KiB; a notice that fails or is larger is logged
   * once and left out.
   *
   * @param name its name; given twice, the latter counts
   * @param content asked on a thread of the worker's own: be quick
   */
  public WorkerBuilder notice(String name, Supplier<?> content) {
    notices.put(Names.require("notice", name), Objects.requireNonNull(content, "content"));
    return this;
  }

  /**
   * Signs the worker on and starts it. It recovers what dead workers left, then claims.
   *
   * @throws InvalidRequestException if it has no handler
   */
  public Worker start() {
    if (tasks.isEmpty()) {
      throw new InvalidRequestException(
          "The worker has no handler; call handle(task, ...) at least once.");
    }
    for (String task : localLimits.keySet()) {
      if (!tasks.containsKey(task)) {
        throw new InvalidRequestException(
            "concurrencyOf names the task '" + task + "', which has no handler here.");
      }
    }
    Set<String> served =
        queues.isEmpty() ? Set.of(SubmitOptions.DEFAULT_QUEUE) : Set.copyOf(queues);
    WorkerSettings.Timing timing = new WorkerSettings.Timing(lease, grace, poll, retention);
    WorkerSettings.Reporting reporting =
        new WorkerSettings.Reporting(
            List.copyOf(listeners), tracing, Map.copyOf(notices), refusals);
    WorkerSettings settings =
        new WorkerSettings(name, served, concurrency, Map.copyOf(localLimits), timing, reporting);
    return WorkerRuntime.start(store, json, settings, Map.copyOf(tasks));
  }

  private static int requireAtLeastOne(String what, int number) {
    if (number < 1) {
      throw new InvalidRequestException(what + " is " + number + "; use 1 or more.");
    }
    return number;
  }

  private static String hostAndProcess() {
    return Actors.host() + ":" + ProcessHandle.current().pid();
  }
}
