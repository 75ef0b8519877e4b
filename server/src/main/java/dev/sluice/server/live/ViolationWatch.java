package dev.sluice.server.live;

import dev.sluice.AuditReport;
import dev.sluice.AuditReport.Kind;
import dev.sluice.ConcurrencyLimits;
import dev.sluice.Group;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the limits that were found exceeded since the server started. It only looks; workers
 * repair. A limit that stays exceeded counts once. An audit of a large store takes its time, so it
 * has a thread of its own and spends a fiftieth of its time at most.
 */
public final class ViolationWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ViolationWatch.class);
  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final int RARER = 50;

  private record Violation(Group group, Kind kind) {}

  private final ConcurrencyLimits limits;
  private final AtomicLong count = new AtomicLong();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "sluice-server-violations");
  private Set<Violation> open = Set.of();

  /** Watches these limits. */
  public ViolationWatch(ConcurrencyLimits limits) {
    this.limits = limits;
    thread.setDaemon(true);
  }

  /** Starts. */
  public void start() {
    thread.start();
  }

  /** How many, so far. */
  public long count() {
    return count.get();
  }

  private void run() {
    Duration pause = INTERVAL;
    try {
      while (!stop.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        long begun = System.nanoTime();
        look();
        Duration rarer = Duration.ofNanos(System.nanoTime() - begun).multipliedBy(RARER);
        pause = rarer.compareTo(INTERVAL) > 0 ? rarer : INTERVAL;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() {
    try {
      take(limits.audit(false));
    } catch (RuntimeException e) {
      log.debug("The slots could not be audited; trying again later.", e);
    }
  }

  void take(AuditReport report) {
    Set<Violation> found = new HashSet<>();
    for (AuditReport.Finding finding : report.findings()) {
      if (finding.kind() == Kind.UNCOVERED || finding.kind() == Kind.EXCEEDED) {
        Violation violation = new Violation(finding.group(), finding.kind());
        if (found.add(violation) && !open.contains(violation)) {
          count.incrementAndGet();
        }
      }
    }
    open = found;
  }

  @Override
  public void close() {
    stop.countDown();
    thread.interrupt();
  }
}
