package dev.sluice.metrics;

import dev.sluice.AlertThresholds;
import dev.sluice.AuditReport;
import dev.sluice.Group;
import dev.sluice.JobContext;
import dev.sluice.Sluice;
import dev.sluice.SluiceListener;
import dev.sluice.Submission;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.UUID;

/**
 * Counts what is done through one {@link Sluice}, workers included, in a Micrometer registry; and,
 * if it is told to {@link #watch} it, shows what is in its store. Thread-safe.
 *
 * <pre>{@code
 * SluiceMetrics metrics = SluiceMetrics.on(registry);
 * Sluice sluice = Sluice.open(SluiceOptions.url(url).listener(metrics));
 * metrics.watch(sluice);
 * }</pre>
 *
 * <p>Every process counts what it does itself; add the counters of all of them up. What is in the
 * store is the same for all: let one process watch it, or take the maximum.
 *
 * <p>The number of series is bounded: by default a hundred tasks and a hundred groups have series
 * of their own, the rest are counted as {@code other}; names follow the busiest. So does a task or
 * group that happens to be called {@code other}. The gauges of a watched store show the busiest
 * groups only.
 */
public final class SluiceMetrics implements SluiceListener {
  /** How many tasks, groups and queues have series of their own. */
  public static final int DEFAULT_NAMES = 100;

  /** How often a watched store is looked at. */
  public static final Duration DEFAULT_SAMPLING = Duration.ofSeconds(5);

  private final MeterRegistry registry;
  private final int names;
  private final Labelled<TaskMeters> tasks;
  private final Labelled<GroupMeters> groups;
  private final Timer claim;
  private final Counter leasesLost;
  private final Counter violations;

  private SluiceMetrics(MeterRegistry registry, int names) {
    this.registry = registry;
    this.names = names;
    Meters meters = new Meters(registry);
    tasks = new Labelled<>(registry, names, task -> TaskMeters.of(meters, task), TaskMeters::all);
    groups =
        new Labelled<>(registry, names, group -> GroupMeters.of(meters, group), GroupMeters::all);
    claim =
        meters.durations(
            "sluice.claim",
            "How long the store took to answer a worker that asks for jobs",
            none());
    leasesLost = meters.counter("sluice.lease.lost", "Times that a worker lost its lease", none());
    violations =
        meters.counter(
            "sluice.limit.violations",
            "Limits that an audit found exceeded, each once however long it lasts; stays 0",
            none());
  }

  private static Tags none() {
    return Tags.empty();
  }

  /** Counts in this registry, with {@value #DEFAULT_NAMES} names. */
  public static SluiceMetrics on(MeterRegistry registry) {
    return on(registry, DEFAULT_NAMES);
  }

  /**
   * Counts in this registry.
   *
   * @param names how many tasks, and how many groups, have series of their own; 1 or more
   */
  public static SluiceMetrics on(MeterRegistry registry, int names) {
    if (names < 1) {
      throw new IllegalArgumentException("names is " + names + "; use 1 or more.");
    }
    return new SluiceMetrics(registry, names);
  }

  /**
   * Shows what is in the store as gauges, looked at every five seconds by a thread of its own. One
   * process that watches is enough: the gauges are of the store, not of the process. Close what
   * this returns before the {@code Sluice}.
   */
  public StoreGauges watch(Sluice sluice) {
    return watch(sluice, DEFAULT_SAMPLING);
  }

  /**
   * Shows what is in the store as gauges, looked at this often: at least a second apart, and nine
   * times as long as a look takes.
   */
  public StoreGauges watch(Sluice sluice, Duration sampling) {
    return watch(sluice, sampling, AlertThresholds.DEFAULT);
  }

  /** The same, with alerts that are raised from these thresholds on. */
  public StoreGauges watch(Sluice sluice, Duration sampling, AlertThresholds thresholds) {
    return StoreGauges.start(registry, sluice, names, sampling, thresholds);
  }

  @Override
  public void onSubmit(String task, Submission submission) {
    if (submission.accepted()) {
      tasks.of(task).submitted().increment();
    }
  }

  @Override
  public void onStart(JobContext job) {
    tasks.of(job.task()).started().increment();
  }

  @Override
  public void onEnded(JobContext job, Duration ran) {
    tasks.of(job.task()).duration().record(ran);
  }

  @Override
  public void onSuccess(JobContext job, Duration took) {
    tasks.of(job.task()).ends().succeeded().increment();
  }

  @Override
  public void onFailure(JobContext job, Throwable failure, boolean willRetry) {
    TaskMeters meters = tasks.of(job.task());
    (willRetry ? meters.returns().retried() : meters.ends().failed()).increment();
  }

  @Override
  public void onRefiled(JobContext job) {
    tasks.of(job.task()).returns().refiled().increment();
  }

  @Override
  public void onCancel(JobContext job) {
    tasks.of(job.task()).ends().cancelled().increment();
  }

  @Override
  public void onWithdraw(String task, UUID job) {
    tasks.of(task).ends().cancelled().increment();
  }

  @Override
  public void onAcquired(Group group, Duration waited) {
    GroupMeters meters = groups.of(group.toString());
    meters.acquired().increment();
    meters.waits().record(waited);
  }

  @Override
  public void onRejected(Group group) {
    groups.of(group.toString()).rejected().increment();
  }

  @Override
  public void onClaim(int jobs, Duration took) {
    claim.record(took);
  }

  @Override
  public void onAudit(AuditReport report) {
    violations.increment(report.violations());
  }

  @Override
  public void onLeaseLost(String workerId, int interruptedJobs) {
    leasesLost.increment();
  }
}
