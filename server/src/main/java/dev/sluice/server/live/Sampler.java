package dev.sluice.server.live;

import dev.sluice.Alert;
import dev.sluice.AlertThresholds;
import dev.sluice.GroupQuery;
import dev.sluice.JobState;
import dev.sluice.LimitChange;
import dev.sluice.Sluice;
import dev.sluice.server.view.GroupView;
import dev.sluice.server.view.LimitChangeView;
import dev.sluice.server.view.SeriesView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the store every two seconds, on one thread, and keeps what it saw: whoever asks for the
 * overview gets the latest at once, however large the store is and however many ask. A store that
 * takes its time is asked less often, so that looking never takes more than a tenth of the time.
 * When the store does not answer, the last sample stays and says since when it is stale.
 */
public final class Sampler implements AutoCloseable {
  /** How often, unless the store is slow. */
  public static final Duration INTERVAL = Duration.ofSeconds(2);

  /** How far back the series goes. */
  public static final Duration KEPT = Duration.ofMinutes(15);

  /** How many of the busiest groups are looked at. */
  public static final int GROUPS = 50;

  private static final Logger log = LoggerFactory.getLogger(Sampler.class);
  private static final int RARER = 10;
  private static final int CHANGES = 50;
  private static final Duration STALE = Duration.ofSeconds(15);

  /** Hears of each sample, on the sampler's thread. */
  public interface Watcher {
    /** A sample was taken. */
    void onSample(Snapshot snapshot);

    /** Something happened on a worker. */
    void onEvent(EventView event);

    /** A limit was changed. */
    void onChange(LimitChangeView change);
  }

  private final Sluice sluice;
  private final AlertThresholds thresholds;
  private final Watcher watcher;
  private final Thread thread;
  private final CountDownLatch looked = new CountDownLatch(1);
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Bulletins bulletins = new Bulletins();
  private final Deque<SeriesView.Point> points = new ArrayDeque<>();
  private Set<LimitChange> knownChanges;
  private volatile Snapshot latest;
  private volatile boolean failing;
  private volatile Duration interval = INTERVAL;

  /** Begins to look. */
  public Sampler(Sluice sluice, AlertThresholds thresholds, Watcher watcher) {
    this.sluice = sluice;
    this.thresholds = thresholds;
    this.watcher = watcher;
    thread = new Thread(this::run, "sluice-server-sampler");
    thread.setDaemon(true);
  }

  /** Starts. */
  public void start() {
    thread.start();
  }

  private void run() {
    try {
      do {
        long begun = System.nanoTime();
        boolean good = look();
        looked.countDown();
        // A look that failed says nothing about how long a good one takes.
        Duration took = Duration.ofNanos(System.nanoTime() - begun).multipliedBy(RARER);
        interval = good && took.compareTo(INTERVAL) > 0 ? took : INTERVAL;
      } while (!stop.await(interval.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean look() {
    try {
      sample();
      if (failing) {
        log.info("The store answers again.");
      }
      failing = false;
      return true;
    } catch (RuntimeException e) {
      if (!failing && stop.getCount() > 0) {
        log.warn("The store could not be looked at; trying again every {}.", interval, e);
      }
      failing = true;
      return false;
    }
  }

  private void sample() {
    Snapshot.Figures figures =
        new Snapshot.Figures(
            sluice.jobs().counts(),
            sluice.queues().list(),
            sluice.concurrency().summaries(GroupQuery.BUSIEST.limit(GROUPS)).items(),
            sluice.concurrency().summaries(GroupQuery.HELD.limit(Alert.MOST)).items(),
            sluice.workers().list());
    List<LimitChange> changes = sluice.concurrency().changes(Optional.empty(), CHANGES);
    long nanos = System.nanoTime();
    bulletins.takeOwn(sluice.concurrency().refusals());
    List<Bulletins.WorkerEvent> events = bulletins.take(figures.workers(), nanos);
    Snapshot snapshot =
        Snapshot.of(figures, thresholds, bulletins.rates(nanos), bulletins.byGroup());
    latest = snapshot;
    remember(snapshot, nanos);
    events.forEach(event -> watcher.onEvent(EventView.of(event)));
    tell(changes);
    watcher.onSample(snapshot);
  }

  private void remember(Snapshot snapshot, long nanos) {
    GroupView.Traffic waits = bulletins.recentWaits(nanos);
    SeriesView.Point point =
        new SeriesView.Point(
            snapshot.at(),
            snapshot.rates(),
            new SeriesView.Depth(
                snapshot.count(JobState.READY),
                snapshot.count(JobState.WAITING),
                snapshot.count(JobState.RUNNING)),
            new SeriesView.Latency(
                bulletins.meanDuration(nanos), waits.waitP50Seconds(), waits.waitP95Seconds()));
    synchronized (points) {
      points.add(point);
      while (points.peek().at().isBefore(snapshot.at().minus(KEPT))) {
        points.remove();
      }
    }
  }

  private void tell(List<LimitChange> changes) {
    if (knownChanges != null) {
      for (int i = changes.size() - 1; i >= 0; i--) {
        if (!knownChanges.contains(changes.get(i))) {
          watcher.onChange(LimitChangeView.of(changes.get(i)));
        }
      }
    }
    knownChanges = new HashSet<>(changes);
  }

  /** The latest sample; waits a moment for the first. Empty if there is none yet. */
  public Optional<Snapshot> latest() {
    if (latest == null) {
      try {
        looked.await(STALE.toMillis() / 5, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return Optional.ofNullable(latest);
  }

  /** The latest sample, if there is one by now. */
  public Optional<Snapshot> peek() {
    return Optional.ofNullable(latest);
  }

  /** Since when the sample is not what it should be; empty while it is. */
  public Optional<Instant> staleSince() {
    Snapshot known = latest;
    if (known == null) {
      return Optional.empty();
    }
    Instant due = known.at().plus(interval).plus(STALE);
    return failing || Instant.now().isAfter(due) ? Optional.of(known.at()) : Optional.empty();
  }

  /** Whether the store answers. */
  public boolean isReady() {
    return latest().isPresent() && staleSince().isEmpty();
  }

  /** The last minutes. */
  public SeriesView series() {
    synchronized (points) {
      return new SeriesView(interval.toMillis() / 1000.0, new ArrayList<>(points));
    }
  }

  /** Looks no more; waits for the look under way, for a moment. */
  @Override
  public void close() throws InterruptedException {
    stop.countDown();
    try {
      thread.join(STALE.toMillis() / 3);
    } finally {
      thread.interrupt();
    }
  }
}
