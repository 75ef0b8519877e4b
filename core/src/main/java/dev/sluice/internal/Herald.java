package dev.sluice.internal;

import dev.sluice.LeaseLostException;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Load;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes what the worker says about itself: about every two seconds while something changes, and
 * at least every third of the lease; while the worker drains too, and once more before it signs
 * off. Nothing depends on it: when publishing fails, jobs go on.
 */
final class Herald implements Chore {
  private static final Logger log = LoggerFactory.getLogger(Herald.class);
  private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(2);

  private final Workshop workshop;
  private final Supplier<Tenure> current;
  private final Notices notices;
  private final Duration third;
  private WorkerBulletin published;
  private String publishedAs;
  private long publishedAt;

  Herald(Workshop workshop, Supplier<Tenure> current) {
    this.workshop = workshop;
    this.current = current;
    WorkerEnvironment environment = workshop.environment();
    WorkerSettings settings = environment.settings();
    this.notices = new Notices(settings.reporting().notices(), environment.json().mapper());
    this.third = settings.timing().lease().dividedBy(3);
  }

  @Override
  public String what() {
    return "Publishing the worker's bulletin";
  }

  @Override
  public Duration interval() {
    return third.compareTo(LONGEST_INTERVAL) < 0 ? third : LONGEST_INTERVAL;
  }

  @Override
  public synchronized void run() {
    Tenure tenure = current.get();
    if (tenure.over()) {
      return;
    }
    WorkerBulletin bulletin = workshop.chronicle().bulletin(load(tenure), notices.read());
    long now = workshop.environment().now();
    if (tenure.workerId().equals(publishedAs)
        && saysTheSame(bulletin, published)
        && now - publishedAt < third.minus(interval()).toNanos()) {
      return;
    }
    try {
      tenure.session().publish(BulletinJson.write(bulletin));
    } catch (LeaseLostException e) {
      tenure.fence("the store says so");
      return;
    }
    published = bulletin;
    publishedAs = tenure.workerId();
    publishedAt = now;
  }

  /** Publishes what the last jobs added, before the worker signs off. */
  void lastWords() {
    try {
      run();
    } catch (RuntimeException e) {
      log.debug("The last bulletin could not be published.", e);
    }
  }

  private Load load(Tenure tenure) {
    int concurrency = workshop.environment().settings().concurrency();
    return new Load(concurrency, workshop.permits().inUse(), tenure.buffered(), tenure.closing());
  }

  private static boolean saysTheSame(WorkerBulletin a, WorkerBulletin b) {
    return a.load().equals(b.load())
        && a.tally().equals(b.tally())
        && a.events().equals(b.events())
        && a.notices().equals(b.notices());
  }
}
