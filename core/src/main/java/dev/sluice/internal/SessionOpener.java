package dev.sluice.internal;

import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;

/** Signs a worker on and sets up what watches over its lease. */
final class SessionOpener {
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
    workshop.rescuer().run();
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
}
