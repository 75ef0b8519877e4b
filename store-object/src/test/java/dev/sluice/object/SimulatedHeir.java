package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.LimitLevel;
import dev.sluice.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The process that comes after all others in a {@link Simulation}, in a world without trouble. It
 * recovers what they left, runs every job there is, and looks whether all is as it should be.
 */
final class SimulatedHeir {
  private static final int PATIENCE = 300;
  private final SimulatedProcess process;
  private final Simulation simulation;

  SimulatedHeir(SimulatedProcess process) {
    this.process = process;
    this.simulation = process.simulation();
  }

  void inherit() {
    process.open();
    ObjectJobStore store = process.store();
    // Leases and permits have to run out, and what submitters left undone counts as abandoned.
    store.recover();
    sleep(Inbox.ABANDONED_AFTER.plusSeconds(1));
    store.recover();
    for (Group group : simulation.jobs().changedGroups()) {
      store.limits().setLimit(group, LimitLevel.OPERATOR, OptionalInt.empty(), "heir");
    }
    store.queues().resume(SimulatedJobs.QUEUE);
    work();
    simulation
        .ledger()
        .checkEnd(all(store), store.jobs().counts(), simulation.auditor().heldSlots());
    sleep(Duration.ofSeconds(1));
    store.jobs().purge(Duration.ZERO);
    if (!all(store).isEmpty()) {
      simulation.violation("%d finished jobs outlive a purge".formatted(all(store).size()));
    }
    store.close();
  }

  /** Runs everything until nothing comes any more. */
  private void work() {
    SimulatedWorker worker = process.hire();
    worker.signOn(2);
    int idle = 0;
    for (int round = 0; idle < 3; round++) {
      if (round % 2 == 0) {
        worker.renew();
      }
      int brought = worker.workOff();
      idle = brought == 0 && worker.isIdle() ? idle + 1 : 0;
      sleep(Duration.ofMillis(300));
      if (round == PATIENCE) {
        simulation.violation("after %d rounds there is still work".formatted(PATIENCE));
        return;
      }
    }
    worker.signOff();
  }

  private static List<JobInfo> all(ObjectJobStore store) {
    List<JobInfo> all = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    while (cursor.isPresent()) {
      Page<JobInfo> page = store.jobs().list(JobQuery.ALL.limit(100).cursor(cursor.get()));
      all.addAll(page.items());
      cursor = page.next();
    }
    return all;
  }

  private void sleep(Duration time) {
    simulation.threads().sleep(time.toNanos());
  }
}
