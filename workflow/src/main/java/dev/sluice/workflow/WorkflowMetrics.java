package dev.sluice.workflow;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
  private final MultiGauge runs;
  private final MultiGauge inFlight;
  private final MultiGauge deferred;
  private final ScheduledExecutorService thread;

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

  private MultiGauge gauge(String name, String description, String unit) {
    return MultiGauge.builder(name).description(description).baseUnit(unit).register(registry);
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
    List<Row<?>> byState = new ArrayList<>();
    workflows
        .counts()
        .forEach(
            (type, states) ->
                states.forEach(
                    (state, count) ->
                        byState.add(Row.of(Tags.of("type", type, "state", state), count))));
    Map<String, Integer> flying = new TreeMap<>();
    Map<String, Integer> waiting = new TreeMap<>();
    int seen = 0;
    WorkflowQuery query = WorkflowQuery.ALL.live().limit(PAGE);
    for (Optional<WorkflowQuery> next = Optional.of(query);
        next.isPresent() && seen < MOST_RUNS; ) {
      var page = workflows.list(next.get());
      for (WorkflowRun run : page.items()) {
        flying.merge(run.type(), run.inFlight(), Integer::sum);
        waiting.merge(run.type(), run.deferred(), Integer::sum);
      }
      seen += page.items().size();
      next = page.next().map(query::cursor);
    }
    runs.register(byState, true);
    inFlight.register(rows(flying), true);
    deferred.register(rows(waiting), true);
  }

  private static List<Row<?>> rows(Map<String, Integer> byType) {
    List<Row<?>> rows = new ArrayList<>();
    byType.forEach((type, count) -> rows.add(Row.of(Tags.of("type", type), count)));
    return rows;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
