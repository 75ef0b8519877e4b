package dev.sluice.object;

import dev.sluice.AuditReport;
import dev.sluice.Group;
import dev.sluice.LimitLevel;
import dev.sluice.SlotLease;
import dev.sluice.SluiceException;
import dev.sluice.Submission;
import dev.sluice.spi.LimitStore.SlotRequest;
import dev.sluice.spi.NewJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/** What else goes on in a {@link SimulatedProcess}: users, operators and recovery. */
final class SimulatedUser {
  private static final Duration PERMIT = Duration.ofSeconds(2);

  private final SimulatedProcess process;
  private final Simulation simulation;
  private final RandomGenerator random;
  private SlotLease permit;

  SimulatedUser(SimulatedProcess process) {
    this.process = process;
    this.simulation = process.simulation();
    this.random = simulation.random();
  }

  /** Does one thing after the other until the process stops. */
  void live() {
    boolean crowded = simulation.isCrowded();
    if (crowded) {
      attempt(() -> submit(simulation.jobs().plain(8)));
    }
    while (!process.isStopping()) {
      attempt(crowded ? process.store()::recover : this::act);
      simulation.threads().sleep(random.nextLong(crowded ? 600_000_000 : 400_000_000));
    }
  }

  void attempt(Runnable something) {
    try {
      something.run();
    } catch (SluiceException e) {
      simulation.note(() -> "        refused or failed: " + e.getMessage());
    }
  }

  private void act() {
    switch (random.nextInt(22)) {
      case 0 -> process.store().jobs().cancel(simulation.jobs().anyId());
      case 1 -> process.store().jobs().retry(simulation.jobs().anyId());
      case 2, 3 -> changeLimit();
      case 4, 5, 6 -> takeOrGivePermit();
      case 7, 8, 9, 10, 14 -> process.store().recover();
      case 11 -> process.store().jobs().counts();
      case 12 -> pause();
      case 13 -> audit();
      default -> {
        List<NewJob> jobs = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
          jobs.add(simulation.jobs().any());
        }
        submit(jobs);
      }
    }
  }

  /** Submits, and takes note of what was answered. */
  List<Submission> submit(List<NewJob> jobs) {
    List<Submission> answers = process.store().submit(jobs);
    for (int i = 0; i < jobs.size(); i++) {
      simulation.ledger().answered(jobs.get(i), answers.get(i));
    }
    return answers;
  }

  private void changeLimit() {
    Group group = simulation.jobs().anyGroup();
    if (random.nextInt(5) == 0) {
      group = group.plain().anyKey();
    }
    setLimit(
        group, random.nextInt(4) == 0 ? OptionalInt.empty() : OptionalInt.of(random.nextInt(4)));
  }

  void setLimit(Group group, OptionalInt limit) {
    simulation.jobs().changedGroups().add(group);
    process.store().limits().setLimit(group, LimitLevel.OPERATOR, limit, "user");
  }

  /** Nothing that happens to a process may leave anything to be found. */
  private void audit() {
    AuditReport report = process.store().limits().audit(true);
    if (!report.isClean()) {
      simulation.violation("an audit found " + report.findings());
    }
  }

  private void pause() {
    if (random.nextBoolean()) {
      process.store().queues().pause(SimulatedJobs.QUEUE);
    } else {
      process.store().queues().resume(SimulatedJobs.QUEUE);
    }
  }

  private void takeOrGivePermit() {
    if (permit == null) {
      acquire(simulation.jobs().anyGroup());
    } else if (random.nextBoolean()) {
      release();
    } else {
      extend();
    }
  }

  /** Takes a permit, and counts on it from when it hears of it for as long as it asked for. */
  void acquire(Group group) {
    long until = process.nanoTime() + PERMIT.toNanos();
    Optional<SlotLease> lease =
        process
            .store()
            .limits()
            .tryAcquire(new SlotRequest(group, OptionalInt.of(2), "user", "process", PERMIT));
    permit = lease.orElse(null);
    lease.ifPresent(held -> simulation.ledger().holdsPermit(process, held, until));
  }

  void extend() {
    if (permit == null) {
      return;
    }
    long until = process.nanoTime() + PERMIT.toNanos();
    SlotLease before = permit;
    permit = process.store().limits().extend(before, PERMIT).orElse(null);
    if (permit != null) {
      simulation.ledger().holdsPermit(process, permit, until);
    }
  }

  void release() {
    if (permit == null) {
      return;
    }
    SlotLease before = permit;
    permit = null;
    simulation.ledger().gavePermit(before);
    process.store().limits().release(before);
  }
}
