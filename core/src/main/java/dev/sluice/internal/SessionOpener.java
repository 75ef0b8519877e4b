package dev.sluice.internal;

import dev.sluice.SluiceException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Signs a worker on and sets up what watches over its lease. */
final class SessionOpener {
  private static final Logger log = LoggerFactory.getLogger(SessionOpener.class);

  private final Workshop workshop;
  private final WorkerEnvironment environment;

  SessionOpener(Workshop workshop) {
    this.workshop = workshop;
    this.environment = workshop.environment();
  }

  /**
   * Recovers what dead workers left (it may have been this one), then signs on. Pointers go on
   * record before, and are read after: see {@link WorkerPointers}.
   */
  Tenure open() {
    WorkerSettings settings = environment.settings();
    Duration length = settings.timing().lease();
    Declarations.Known declared = workshop.declarations().known();
    WorkerRegistration registration =
        new WorkerRegistration(
            settings.name(),
            settings.queues(),
            environment.tasks().keySet(),
            declared.limits(),
            length);
    recover();
    workshop.pointers().record();
    long sentAt = environment.now();
    WorkerSession session =
        environment.store().openSession(registration.seen(workshop.highestToken().get()));
    try {
      workshop.pointers().refresh();
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
    Lease lease = new Lease(length, sentAt, environment.clock()::nanos);
    Tenure tenure = new Tenure(workshop, session, lease, declared.version());
    String suffix = "-" + session.workerId();
    DaemonThreads.start("sluice-watchdog" + suffix, new LeaseWatchdog(tenure, environment.clock()));
    DaemonThreads.start("sluice-lease" + suffix, new LeaseKeeper(tenure, environment));
    // A wake may mean a job to cancel, which only a renewal tells.
    session.onWake(
        () -> {
          workshop.bell().ring();
          tenure.renewals().ring();
        });
    return tenure;
  }

  /** Frees what dead workers left. That it cannot be done is no reason for this one not to work. */
  private void recover() {
    try {
      workshop.rescuer().run();
    } catch (StoreUnavailableException e) {
      throw e;
    } catch (SluiceException e) {
      log.warn("What dead workers held could not be freed; every worker goes on trying.", e);
    }
  }
}
