package dev.sluice.internal;

import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Says how many jobs a worker could take on.
 *
 * <p>A task without prefetch gets no more room than there are threads to start it on at once. One
 * with prefetch gets, on top, its depth behind each thread that runs it or could: not behind
 * threads that other tasks occupy, for it is not known when those come free. How far limits allow
 * it is the store's business; it is told how much more fits under the slots held already.
 */
final class DemandPlanner {
  /** Larger batches make an exchange slower without making it cheaper per job. */
  static final int LARGEST_BATCH = 500;

  /**
   * Two batches: one being worked off while the next is fetched. This bounds what a buffer
   * reorders: a job that a worker claims starts after no more than this many others of that worker.
   */
  static final int LARGEST_BUFFER = 2 * LARGEST_BATCH;

  private final Collection<String> tasks;
  private final ThreadPermits permits;
  private final Prefetch prefetch;

  DemandPlanner(Collection<String> tasks, ThreadPermits permits, Prefetch prefetch) {
    this.tasks = tasks;
    this.permits = permits;
    this.prefetch = prefetch;
  }

  Demand plan(JobBuffer buffer, SlotLedger ledger) {
    Map<String, Integer> spare = ledger.ask(prefetch::depth);
    int space = LARGEST_BUFFER - buffer.size();
    List<TaskDemand> wanted = new ArrayList<>();
    int startNow = 0;
    int fetchAhead = 0;
    for (String task : tasks) {
      int depth = prefetch.depth(task);
      int free = Math.max(0, permits.freeFor(task));
      int ahead = (free + permits.inUseBy(task)) * depth - buffer.size(task);
      int room = free + Math.max(0, Math.min(ahead, space));
      if (room > 0) {
        wanted.add(new TaskDemand(task, Math.min(room, LARGEST_BATCH), depth));
        startNow += free;
        fetchAhead += room - free;
      }
    }
    int jobs = Math.min(startNow, permits.free()) + Math.min(fetchAhead, Math.max(0, space));
    return jobs <= 0 ? Demand.NONE : new Demand(Math.min(jobs, LARGEST_BATCH), wanted, spare);
  }
}
