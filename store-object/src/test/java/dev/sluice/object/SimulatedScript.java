package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What one process of a {@link Simulation} does step by step, so that each of its requests can be
 * the one at which something happens: jobs of all kinds are submitted, claimed, fail, are cancelled
 * and tried again; limits are set for the first time, lowered, raised and set to 0; permits are
 * taken, extended and given back; outcomes are archived and the worker signs off.
 *
 * <p>A step that fails is left, as a user would, and the worker then asks what it holds.
 */
final class SimulatedScript {
  private static final JobOutcome.Failure BOOM = new JobOutcome.Failure("Boom", "", "");

  private final SimulatedProcess process;
  private final Simulation simulation;
  private final SimulatedWorker worker;
  private final SimulatedUser user;

  SimulatedScript(SimulatedProcess process) {
    this.process = process;
    this.simulation = process.simulation();
    this.worker = process.hire();
    this.user = new SimulatedUser(process);
  }

  void play() {
    Group mail = Group.of(SimulatedJobs.MAIL);
    Group report = Group.of(SimulatedJobs.REPORT);
    process.open();
    worker.attempt(() -> worker.signOn(2));
    for (int i = 0; i < 4; i++) {
      ask(() -> user.submit(Stream.generate(simulation.jobs()::any).limit(3).toList()));
    }
    ask(() -> user.submit(simulation.jobs().plain(3)));
    exchange();
    setLimit(report, OptionalInt.of(1));
    worker.endFirst(new JobOutcome.Retry(BOOM, Duration.ofMillis(100)));
    setLimit(mail, OptionalInt.of(1));
    worker.endFirst(new JobOutcome.Failed(BOOM));
    work(worker::renew);
    ask(() -> user.acquire(mail));
    setLimit(mail, OptionalInt.of(3));
    ask(() -> user.acquire(mail));
    ask(user::extend);
    ask(() -> process.store().jobs().cancel(simulation.jobs().anyId()));
    ask(user::release);
    setLimit(mail, OptionalInt.of(0));
    worker.endFirst(new JobOutcome.HandedBack());
    work(worker::renew);
    setLimit(mail, OptionalInt.empty());
    setLimit(SimulatedJobs.SHARED, OptionalInt.of(1));
    ask(() -> process.store().recover());
    simulation.jobs().ids().forEach(id -> ask(() -> retry(id)));
    for (int i = 0; i < 3; i++) {
      work(worker::workOff);
      work(worker::renew);
    }
    worker.signOff();
    process.store().close();
  }

  /** Jobs that failed are tried again by hand. */
  private void retry(UUID id) {
    if (simulation.auditor().hasFailed(id)) {
      process.store().jobs().retry(id);
    }
  }

  /** Sets a limit, and meanwhile the worker hears of it. */
  private void setLimit(Group group, OptionalInt limit) {
    simulation.threads().start(process, 0, () -> ask(() -> user.setLimit(group, limit)));
    simulation.threads().sleep(Duration.ofMillis(150).toNanos());
    exchange();
    work(() -> {});
  }

  private void exchange() {
    work(() -> worker.exchange(4));
    simulation.threads().sleep(Duration.ofMillis(150).toNanos());
  }

  private void ask(Runnable step) {
    user.attempt(step);
  }

  /** A step of the worker, in a session that it is sure of. */
  private void work(Runnable step) {
    for (int tries = 0; tries < 5 && !worker.isReady(); tries++) {
      worker.attempt(worker::step);
    }
    worker.attempt(step);
  }
}
