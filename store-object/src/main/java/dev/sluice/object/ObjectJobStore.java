package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.Submission;
import dev.sluice.object.Committer.Committed;
import dev.sluice.object.state.Ending;
import dev.sluice.object.state.Micros;
import dev.sluice.object.state.SegmentKeys;
import dev.sluice.object.state.ShardDraft;
import dev.sluice.object.state.Slots;
import dev.sluice.object.state.WorkerStanding;
import dev.sluice.spi.Capability;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.QueueStore;
import dev.sluice.spi.RecoveryReport;
import dev.sluice.spi.RunStore;
import dev.sluice.spi.ScheduleStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import dev.sluice.spi.WorkerStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store on objects: jobs, limits and slots with nothing but a bucket, a directory or memory.
 * What lies under which key is in {@code docs/object-store.md}.
 *
 * <p>It is one shard, which is all there is unless a place was begun with several: see {@link
 * ShardedJobStore}.
 */
final class ObjectJobStore implements JobStore {
  private static final Logger log = LoggerFactory.getLogger(ObjectJobStore.class);
  private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(10);

  /** Its commit follows within seconds, or never. */
  private static final Duration ORPHANED_AFTER = Duration.ofHours(1);

  /** A put that is carried out later than that after it was sent is not expected. */
  private static final Duration PRODUCER_MEMORY = Duration.ofHours(1);

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final Runnable onClose;
  private final Committer.Parts parts;
  private final Committer committer;
  private final ShardReader reader;
  private final WorkerLeases leases;
  private final JobSubmitter submitter;
  private final ObjectJobCatalog jobs;
  private final ObjectRunStore runs;
  private final ObjectLimitStore limits;
  private final ObjectQueueStore queues;
  private final ArchiveWriter archiveWriter;
  private final SlotBoard board;
  private final LimitLog limitLog;
  private final ObjectScheduleStore schedules;
  private final FullGroups fullGroups = new FullGroups();
  private final Map<String, ObjectWorkerSession> sessions = new ConcurrentHashMap<>();
  private long lastSweep;

  private ObjectJobStore(
      ObjectStore root,
      int number,
      StoreEnvironment environment,
      StoreClock clock,
      Runnable onClose) {
    this.store = shard(root, number);
    this.environment = environment;
    this.onClose = onClose;
    this.lastSweep = environment.nanoTime().getAsLong();
    DamagedObjects damaged = new DamagedObjects(environment.nanoTime());
    SegmentCache segments = new SegmentCache(store, environment, damaged);
    JobArchive archive = new JobArchive(store);
    this.archiveWriter = new ArchiveWriter(environment, archive, segments);
    this.parts =
        new Committer.Parts(
            new ControlObject(store),
            segments,
            new Inbox(store, clock),
            archive,
            clock,
            new LocalWaker(),
            this::afterCommit);
    this.committer = new Committer(store, environment, parts);
    this.archiveWriter.follow(committer);
    this.reader = new ShardReader(committer, parts);
    this.board = new SlotBoard(root, environment, committer, this::leaseEnd);
    this.leases = new WorkerLeases(root, environment, clock, damaged);
    this.submitter = new JobSubmitter(store, environment, committer, parts);
    this.runs = new ObjectRunStore(root, environment, clock);
    this.jobs =
        new ObjectJobCatalog(store, environment, committer, parts, archiveWriter, runs::isKept);
    this.limitLog = new LimitLog(store, environment, committer);
    this.limits =
        new ObjectLimitStore(
            environment,
            committer,
            parts,
            new ObjectLimitStore.Links(
                leases,
                limitLog,
                new AuditStamp(root, environment),
                board,
                new PointerObject(root, environment)));
    this.schedules = new ObjectScheduleStore(root, environment, clock);
    this.queues = new ObjectQueueStore(committer, parts);
  }

  /**
   * Opens a shard.
   *
   * @param objects the objects of all shards, closed with this one
   * @param number which shard
   * @param onClose called when the store is closed, before the objects are
   */
  static ObjectJobStore open(
      ObjectStore objects, int number, StoreEnvironment environment, Runnable onClose) {
    StoreClock clock = new StoreClock(environment.nanoTime());
    ObjectStore root = new TimekeepingObjectStore(objects, clock);
    StoreFormat.read(root);
    return new ObjectJobStore(root, number, environment, clock, onClose);
  }

  /** The objects of a shard. */
  static ObjectStore shard(ObjectStore root, int number) {
    return new PrefixedObjectStore(root, "shards/" + number);
  }

  private Optional<Instant> leaseEnd(String worker) {
    return Optional.ofNullable(sessions.get(worker)).map(ObjectWorkerSession::leaseEnd);
  }

  private void afterCommit(Committed committed) {
    archiveWriter.afterCommit(committed.before(), committed.state());
    board.afterCommit(committed.before(), committed.state());
    limitLog.afterCommit(committed.state());
    if (!committed.dropped().isEmpty()) {
      parts.segments().forget(committed.dropped());
      environment.chores().execute(() -> delete(committed.dropped()));
    }
  }

  /** What is left of segments is found by the next list, and deleted then. */
  private void delete(List<String> keys) {
    try {
      store.deleteAll(keys);
    } catch (SluiceException e) {
      log.debug("Segments that are done with could not be deleted; a later look will.", e);
    }
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public List<Submission> submit(List<NewJob> newJobs) {
    return submitter.submit(newJobs);
  }

  @Override
  public List<Submission> submit(Connection transaction, List<NewJob> newJobs) {
    throw new UnsupportedOperationException(
        "%s has no transactions to take part in. Submit without a connection, or use PostgreSQL."
            .formatted(store));
  }

  @Override
  public ObjectJobCatalog jobs() {
    return jobs;
  }

  @Override
  public RunStore runs() {
    return runs;
  }

  @Override
  public ObjectLimitStore limits() {
    return limits;
  }

  @Override
  public QueueStore queues() {
    return queues;
  }

  @Override
  public WorkerSession openSession(WorkerRegistration registration) {
    return openSession(registration, openLease(registration));
  }

  /** Begins the lease of a new worker. */
  WorkerLeases.Held openLease(WorkerRegistration registration) {
    String id =
        new UUID(
                environment.random().nextLong() & ~0xf000L | 0x4000L,
                environment.random().nextLong() >>> 2 | 0x8000_0000_0000_0000L)
            .toString();
    return leases.open(id, registration);
  }

  /** Ends a lease whose worker has signed off. */
  void endLease(String worker) {
    leases.end(worker);
  }

  /** Signs a worker on under a lease that it has. */
  ObjectWorkerSession openSession(WorkerRegistration registration, WorkerLeases.Held lease) {
    return ObjectWorkerSession.open(
        registration,
        lease,
        new ObjectWorkerSession.Links(
            committer, parts, leases, environment, board, fullGroups, sessions));
  }

  /** One at a time in a process: they would only race each other to the same leases. */
  @Override
  public synchronized RecoveryReport recover() {
    record Seen(Set<String> workers, boolean expired) {}
    Seen seen =
        reader.readAdmitted(
            draft -> new Seen(WorkerStanding.known(draft), Slots.anyExpired(draft)));
    Set<String> overdue =
        sessions.entrySet().stream()
            .filter(entry -> entry.getValue().isOverdue())
            .map(Map.Entry::getKey)
            .collect(Collectors.toCollection(HashSet::new));
    List<RecoveryReport.DeadWorker> dead = new ArrayList<>();
    Map<String, Integer> freed = new HashMap<>();
    for (String id : leases.fenceSilent(seen.workers, overdue)) {
      Optional<Ending.Legacy> legacy =
          committer.commit(
              draft ->
                  WorkerStanding.isKnown(draft, id)
                      ? Optional.of(Ending.retire(draft, id, true))
                      : Optional.empty());
      leases.remove(id);
      sessions.remove(id);
      if (legacy.isPresent()) {
        dead.add(new RecoveryReport.DeadWorker(id, legacy.get().name(), legacy.get().requeued()));
        legacy.get().freed().forEach((group, slots) -> freed.merge(group, slots, Integer::sum));
      }
    }
    if (seen.expired) {
      committer
          .commit(draft -> Slots.freeExpired(draft, Optional.empty()))
          .forEach((group, slots) -> freed.merge(group, slots, Integer::sum));
    }
    long now = environment.nanoTime().getAsLong();
    if (now - lastSweep >= SWEEP_INTERVAL.toNanos()) {
      lastSweep = now;
      sweep();
    }
    return new RecoveryReport(dead, freed, leases.firstEnd());
  }

  /**
   * Deletes segments of returning jobs whose commit never happened, and forgets producers that have
   * long ended.
   */
  private void sweep() {
    // Of a segment that is done with and could not be deleted, the memory has to stay.
    Set<String> present =
        parts.inbox().list().stream()
            .map(found -> found.name().producer())
            .collect(Collectors.toSet());
    committer.commitSometime(
        draft -> {
          draft.forgetProducers(Micros.of(PRODUCER_MEMORY), present);
          return true;
        });
    long old = parts.clock().now() - Micros.of(ORPHANED_AFTER);
    List<String> returned =
        store.listAll(SegmentKeys.RETURNS).stream()
            .filter(object -> Micros.of(object.modifiedAt()) < old)
            .map(ListedObject::key)
            .toList();
    List<String> orphans =
        reader.readAdmitted(
            draft -> returned.stream().filter(key -> isOrphan(draft, key)).toList());
    if (!orphans.isEmpty()) {
      store.deleteAll(orphans);
    }
  }

  private static boolean isOrphan(ShardDraft draft, String key) {
    return !draft.isAdmitted(key)
        && SegmentKeys.versionOf(key).map(version -> version < draft.version() - 1).orElse(false);
  }

  @Override
  public void close() {
    try {
      committer.finish();
    } catch (SluiceException e) {
      log.debug("What nobody waited for was left undone; others will see to it.", e);
    }
    onClose.run();
    board.close();
    store.close();
  }

  @Override
  public WorkerStore workers() {
    return new ObjectWorkerStore(leases);
  }

  @Override
  public ScheduleStore schedules() {
    return schedules;
  }
}
