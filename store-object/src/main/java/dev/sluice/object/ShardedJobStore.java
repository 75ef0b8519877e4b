package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Submission;
import dev.sluice.spi.Capability;
import dev.sluice.spi.JobCatalog;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.LimitStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.QueueStore;
import dev.sluice.spi.RecoveryReport;
import dev.sluice.spi.RecoveryReport.DeadWorker;
import dev.sluice.spi.RunStore;
import dev.sluice.spi.ScheduleStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import dev.sluice.spi.WorkerStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several shards as one store.
 *
 * <pre>
 *   submit ──▶ home of the job's names ──▶ shard 0: a whole store, with its own control object
 *   worker ──▶ shards its tasks live in    shard 1: the same
 *                                          shard 2: the same, and in trouble: the others go on
 * </pre>
 *
 * <p>A control object takes some twenty commits a second on a bucket, whoever makes them. Shards
 * multiply that. Each is a store of its own ({@link ObjectJobStore}), so nothing is decided in two
 * places, and whatever holds for one holds for all: a limit is exact because all jobs it counts are
 * in one shard ({@link Homes}), and a worker is fenced in each shard by itself.
 *
 * <p>What is not so across shards: jobs submitted together are stored shard by shard, and a crash
 * may come between; the order of jobs in a queue, by priority and by time, is kept within a shard;
 * and an id that a caller chose is told from others of its shard only.
 */
final class ShardedJobStore implements JobStore {
  private static final Logger log = LoggerFactory.getLogger(ShardedJobStore.class);

  private static final int MOST_REPORTED = 1_000;

  private final List<ObjectJobStore> shards;
  private final Homes homes;
  private final StoreEnvironment environment;
  private final Runnable onClose;
  private final LocalWaker newcomers = new LocalWaker();

  /**
   * Dead workers that were reported. A worker may be found in one shard after the other; it is news
   * again only with further jobs.
   */
  private final Map<String, Boolean> reported =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MOST_REPORTED;
        }
      };

  /**
   * These shards.
   *
   * @param environment for what belongs to no shard
   * @param onClose called when the shards are closed
   */
  ShardedJobStore(
      List<ObjectJobStore> shards, Homes homes, StoreEnvironment environment, Runnable onClose) {
    this.shards = List.copyOf(shards);
    this.homes = homes;
    this.environment = environment;
    this.onClose = onClose;
  }

  @Override
  public Set<Capability> capabilities() {
    return shards.get(0).capabilities();
  }

  @Override
  public List<Submission> submit(List<NewJob> newJobs) {
    Map<Integer, List<Integer>> places = new TreeMap<>();
    boolean anyNew =
        newJobs.stream().anyMatch(job -> homes.known(Homes.nameOf(job.task())).isEmpty());
    for (int i = 0; i < newJobs.size(); i++) {
      places.computeIfAbsent(homes.settle(newJobs.get(i)), any -> new ArrayList<>()).add(i);
    }
    Submission[] answers = new Submission[newJobs.size()];
    places.forEach(
        (shard, indexes) -> {
          List<Submission> some =
              shards.get(shard).submit(indexes.stream().map(newJobs::get).toList());
          for (int i = 0; i < indexes.size(); i++) {
            answers[indexes.get(i)] = some.get(i);
          }
        });
    if (anyNew) {
      // Workers that wait for these tasks are not in their shards yet, which wake their own.
      newcomers.wake();
    }
    return Arrays.asList(answers);
  }

  @Override
  public List<Submission> submit(Connection transaction, List<NewJob> newJobs) {
    return shards.get(0).submit(transaction, newJobs);
  }

  @Override
  public JobCatalog jobs() {
    return new ShardedJobCatalog(shards);
  }

  /** They belong to no shard; any of them has them. */
  @Override
  public RunStore runs() {
    return shards.get(0).runs();
  }

  @Override
  public LimitStore limits() {
    return new ShardedLimitStore(shards, homes);
  }

  @Override
  public QueueStore queues() {
    return new ShardedQueueStore(shards);
  }

  @Override
  public WorkerSession openSession(WorkerRegistration registration) {
    return new ShardedWorkerSession(shards, homes, environment, registration, newcomers);
  }

  /** Every shard by itself; one in trouble does not keep the others from recovering. */
  @Override
  public synchronized RecoveryReport recover() {
    Map<String, DeadWorker> dead = new LinkedHashMap<>();
    Map<String, Integer> freed = new HashMap<>();
    Optional<Duration> nextLook = Optional.empty();
    RuntimeException trouble = null;
    int recovered = 0;
    for (ObjectJobStore shard : shards) {
      try {
        RecoveryReport found = shard.recover();
        found.deadWorkers().forEach(worker -> dead.merge(worker.id(), worker, this::together));
        found.freedSlots().forEach((group, slots) -> freed.merge(group, slots, Integer::sum));
        nextLook =
            Stream.concat(nextLook.stream(), found.nextLook().stream())
                .min(Comparator.naturalOrder());
        recovered++;
      } catch (StoreUnavailableException | StoreIncompatibleException e) {
        // Whoever works in it says so; those who do not need not hear of it with every recovery.
        log.debug("Shard {} could not be looked through for dead workers.", shard, e);
        trouble = e;
      }
    }
    if (recovered == 0) {
      throw trouble;
    }
    dead.values()
        .removeIf(
            worker -> reported.put(worker.id(), true) != null && worker.requeuedJobs().isEmpty());
    return new RecoveryReport(List.copyOf(dead.values()), freed, nextLook);
  }

  private DeadWorker together(DeadWorker a, DeadWorker b) {
    Map<String, Integer> jobs = new HashMap<>(a.requeuedJobs());
    b.requeuedJobs().forEach((task, number) -> jobs.merge(task, number, Integer::sum));
    return new DeadWorker(a.id(), a.name(), jobs);
  }

  @Override
  public void close() {
    shards.forEach(ObjectJobStore::close);
    onClose.run();
  }

  /** A worker has one lease for all shards. */
  @Override
  public WorkerStore workers() {
    return shards.get(0).workers();
  }

  /** They belong to no shard either. */
  @Override
  public ScheduleStore schedules() {
    return shards.get(0).schedules();
  }
}
