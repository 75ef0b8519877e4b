package dev.sluice.workflow;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Figures about workflows for a Micrometer registry, by type of workflow. An application that binds
 * them needs {@code micrometer-core}.
 *
 * <table>
 *   <caption>Meters</caption>
 *   <tr><td>{@code sluice.workflow.runs}<td>runs on record, by state
 *   <tr><td>{@code sluice.workflow.steps.in.flight}<td>steps of live runs that count against a cap
 *   <tr><td>{@code sluice.workflow.steps.deferred}<td>steps that could start but for a cap
 *   <tr><td>{@code sluice.workflow.steps.started}<td>steps that ticks here have started
 *   <tr><td>{@code sluice.workflow.tick}<td>how long ticks here take
 * </table>
 *
 * <p>The gauges are about the whole store and say the same in every process that has them, so do
 * not add them up. They are read every {@link #INTERVAL}, the steps from at most {@value
 * #MOST_RUNS} live runs; the counter and the timer are about this process.
 */
public final class WorkflowMetrics implements WorkflowListener, AutoCloseable {
  /** How often gauges are read. */
  public static final Duration INTERVAL = Duration.ofSeconds(15);

  private static final Logger log = LoggerFactory.getLogger(WorkflowMetrics.class);
  private static final int MOST_RUNS = 1_000;
  private static final int PAGE = 100;

  private final Workflows workflows;
  private final MeterRegistry registry;
  private final Figure runs;
  private final Figure inFlight;
  private final Figure deferred;
  private final ScheduledExecutorService thread;

  /** Held while figures are read and shown: what was read first is not shown last. */
  private final Object reading = new Object();

  /** A gauge by tags. A series stays registered while it is shown: each scrape finds it once. */
  private static final class Figure {
    private final MultiGauge gauge;
    private final Map<Tags, AtomicLong> shown = new HashMap<>();

    Figure(MultiGauge gauge) {
      this.gauge = gauge;
    }

    void show(Map<Tags, Long> values) {
      shown.keySet().retainAll(values.keySet());
      values.forEach(
          (tags, value) -> shown.computeIfAbsent(tags, added -> new AtomicLong()).set(value));
      gauge.register(
          shown.entrySet().stream()
              .<Row<?>>map(row -> Row.of(row.getKey(), row.getValue(), AtomicLong::get))
              .toList(),
          false);
    }
  }

  private WorkflowMetrics(Workflows workflows, MeterRegistry registry) {
    this.workflows = workflows;
    this.registry = registry;
    runs = gauge("sluice.workflow.runs", "Runs on record", "runs");
    inFlight = gauge("sluice.workflow.steps.in.flight", "Steps that count against a cap", "steps");
    deferred =
        gauge("sluice.workflow.steps.deferred", "Steps that could start but for a cap", "steps");
    thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread daemon = new Thread(work, "sluice-workflow-metrics");
              daemon.setDaemon(true);
              return daemon;
            });
  }

  private Figure gauge(String name, String description, String unit) {
    return new Figure(
        MultiGauge.builder(name).description(description).baseUnit(unit).register(registry));
  }

  /** Keeps figures about these workflows in this registry, until it is closed. */
  public static WorkflowMetrics bind(Workflows workflows, MeterRegistry registry) {
    WorkflowMetrics metrics = new WorkflowMetrics(workflows, registry);
    workflows.listener(metrics);
    metrics.thread.scheduleWithFixedDelay(
        metrics::refreshLater, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    return metrics;
  }

  @Override
  public void onTick(TickReport report) {
    Tags type = Tags.of("type", report.type());
    registry.timer("sluice.workflow.tick", type).record(report.took());
    registry.counter("sluice.workflow.steps.started", type).increment(report.work().started());
  }

  private void refreshLater() {
    try {
      refresh();
    } catch (RuntimeException e) {
      log.info("Figures about workflows could not be read; again soon. {}", e.toString());
    }
  }

  /** Reads the gauges now. */
  public void refresh() {
    synchronized (reading) {
      readAndShow();
    }
  }

  private void readAndShow() {
    Map<Tags, Long> byState = new HashMap<>();
    workflows
        .counts()
        .forEach(
            (type, states) ->
                states.forEach(
                    (state, count) -> byState.put(Tags.of("type", type, "state", state), count)));
    Map<Tags, Long> flying = new HashMap<>();
    Map<Tags, Long> waiting = new HashMap<>();
    int seen = 0;
    WorkflowQuery query = WorkflowQuery.ALL.live().limit(PAGE);
    for (Optional<WorkflowQuery> next = Optional.of(query);
        next.isPresent() && seen < MOST_RUNS; ) {
      var page = workflows.list(next.get());
      for (WorkflowRun run : page.items()) {
        Tags type = Tags.of("type", run.type());
        flying.merge(type, (long) run.inFlight(), Long::sum);
        waiting.merge(type, (long) run.deferred(), Long::sum);
      }
      seen += page.items().size();
      next = page.next().map(query::cursor);
    }
    show(byState, flying, waiting);
  }

  /** Nothing is shown any more once this is closed, whatever was read before. */
  private synchronized void show(
      Map<Tags, Long> byState, Map<Tags, Long> flying, Map<Tags, Long> waiting) {
    boolean closed = thread.isShutdown();
    runs.show(closed ? Map.of() : byState);
    inFlight.show(closed ? Map.of() : flying);
    deferred.show(closed ? Map.of() : waiting);
  }

  @Override
  public void close() {
    thread.shutdownNow();
    show(Map.of(), Map.of(), Map.of());
  }
}
