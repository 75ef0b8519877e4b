package dev.sluice.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Task;
import dev.sluice.WorkerBuilder;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange.TaskDemand;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Slots of a limited group go to all workers that have threads free and jobs waiting, and no job is
 * passed over for ever.
 */
abstract class FairnessContract extends ContractTopic {
  private static final int CROWD = 8;

  FairnessContract(Supplier<StoreFixture> opener) {
    super(opener);
  }

  /** Which worker started which job of a task, in the order of the starts. */
  private final Map<String, List<Integer>> starts = new HashMap<>();

  private Task<Integer> counted(Task<Integer> task) {
    starts.put(task.name(), new CopyOnWriteArrayList<>());
    return task;
  }

  private WorkerBuilder handle(WorkerBuilder worker, Task<Integer> task, int number) {
    List<Integer> list = starts.get(task.name());
    return worker.handle(
        task,
        (payload, context) -> {
          list.add(number);
          TimeUnit.MILLISECONDS.sleep(100 + payload * 37L % 401);
        });
  }

  /**
   * One worker ran all 81 jobs of a group of 3 slots while another with threads free ran none: the
   * first kept its slots from job to job. The number of starts stands for about ten seconds of
   * saturated work.
   */
  @Test
  void saturatedGroups_eachWorkerRunsHalfItsFairShare() {
    // As many slots as two workers can share evenly: a slot that is left over stays where it is,
    // and
    // with three of them half a share is within the chance of a hundred starts.
    Task<Integer> hoarded = counted(task("hoarded", 4));
    Task<Integer> idle = counted(task("idle", 4));
    Task<Integer> serial = counted(task("serial", 1));
    Task<Integer> keyed =
        counted(Task.named("keyed", Integer.class).maxConcurrentPerKey(4).build());
    Task<Integer> crowded = counted(task("crowded", 3));
    submit(hoarded, 400);
    for (int number = 0; number < CROWD; number++) {
      WorkerBuilder worker = handle(worker(anotherProcess()), crowded, number);
      if (number < 2) {
        for (Task<Integer> task : List.of(hoarded, idle, serial, keyed)) {
          handle(worker, task, number);
        }
      }
      closing(worker.start());
      await().until(() -> starts.get("hoarded").size() >= 3);
    }
    submit(idle, 400);
    submit(serial, 200);
    submit(keyed, 400, options -> options.concurrencyKey("key"));
    submit(crowded, 400);

    // What counts begins when each worker has had a start: how fast it comes up is not the point.
    await().until(() -> new HashSet<>(starts.get("crowded")).size() == CROWD);
    Map<String, Integer> from = new HashMap<>();
    starts.forEach((task, list) -> from.put(task, list.size()));
    requireHalfShares("hoarded", from, 100, 2);
    requireHalfShares("idle", from, 100, 2);
    requireHalfShares("serial", from, 33, 2);
    requireHalfShares("keyed", from, 100, 2);
    // Its workers take turns, so it takes more starts until they have had as many each.
    requireHalfShares("crowded", from, 200, CROWD);
  }

  private void requireHalfShares(String task, Map<String, Integer> from, int jobs, int workers) {
    int first = from.get(task);
    await().until(() -> starts.get(task).size() >= first + jobs);
    Map<Integer, Integer> byWorker = new HashMap<>();
    for (int number = 0; number < workers; number++) {
      byWorker.put(number, 0);
    }
    starts
        .get(task)
        .subList(first, first + jobs)
        .forEach(number -> byWorker.merge(number, 1, Integer::sum));
    assertThat(byWorker.values())
        .as("of %d starts of %s, by worker: %s", jobs, task, byWorker)
        .allMatch(count -> count >= jobs / workers / 2);
  }

  @Test
  void hoarderGoesSilent_groupGoesOnMeanwhileAndIsWholeAfterwards() {
    Task<Integer> task = task("limited", 3);
    submit(task, 2_000);
    ManualWorker hoarder = manualWorker(shortLease(), task);
    assertThat(hoarder.claim("limited", 3)).hasSize(3);
    OverlapMeter meter = new OverlapMeter();
    AtomicInteger started = new AtomicInteger();
    closing(
        worker(anotherProcess())
            .handle(
                task,
                (payload, context) -> {
                  started.incrementAndGet();
                  try (OverlapMeter.Run run = meter.begin("limited")) {
                    TimeUnit.MILLISECONDS.sleep(20);
                  }
                })
            .start());
    // It would go on in the slots it holds, but another worker asks for them.
    await()
        .until(
            () -> {
              hoarder.session().renew(shortLease());
              return hoarder.goOn(hoarder.running().get(0)).isEmpty();
            });
    hoarder.releaseIdle();
    await()
        .until(
            () -> {
              boolean goesOn = started.get() > 0;
              int alone = meter.peak("limited");
              // The lease is renewed, so it had not ended before: the hoarder held two slots then.
              hoarder.session().renew(shortLease());
              assertThat(alone).isLessThan(3);
              return goesOn;
            });
    // Two slots are still held, by a worker that is not heard of any more.
    await().until(() -> meter.peak("limited") == 3);
  }

  /**
   * A job in two groups was passed over for ever by jobs in one of them, which always found the
   * slot that it could not use alone.
   */
  @Test
  void jobInTwoBusyGroups_starts() {
    Task<Integer> one = task("one", 1);
    Task<Integer> other = task("other", 1);
    ManualWorker worker = manualWorker(one, other);
    // Groups that a job has in common live in the same place.
    submit(one, options -> options.concurrencyGroup("other"));
    await().until(() -> worker.succeedAll(worker.claim("one", 1)).size() == 1);
    submit(one);
    submit(other);
    Map<String, ClaimedJob> running = new HashMap<>();
    await()
        .until(
            () -> {
              claimBoth(worker, running);
              return running.size() == 2;
            });
    UUID both = submit(one, options -> options.concurrencyGroup("other"));

    await()
        .until(
            () -> {
              for (String ending : List.of("one", "other")) {
                submit(one);
                submit(other);
                ClaimedJob job = running.remove(ending);
                if (job != null) {
                  worker.succeed(job);
                }
                claimBoth(worker, running);
                if (running.values().stream().anyMatch(claimed -> claimed.id().equals(both))) {
                  return true;
                }
              }
              return false;
            });
    assertThat(active("one")).isEqualTo(1);
    assertThat(active("other")).isEqualTo(1);
  }

  private static void claimBoth(ManualWorker worker, Map<String, ClaimedJob> running) {
    worker
        .claim(2, new TaskDemand("one", 1, 0), new TaskDemand("other", 1, 0))
        .forEach(job -> running.put(job.task(), job));
  }
}
