package dev.sluice.object;

import dev.sluice.Group;
import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.Exchange.Answer;
import dev.sluice.spi.Exchange.Demand;
import dev.sluice.spi.Exchange.TaskDemand;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's standing with several shards: one session in each shard that tasks of this worker live
 * in, all under one id.
 *
 * <p>An exchange goes to the shards one after the other, each time beginning with another one, as
 * long as there is something to tell or more jobs are wanted; a shard that none of its tasks live
 * in is not asked for any. Tasks that nobody has submitted yet have no home: for them the worker
 * signs on in the first shard, so that it is on record somewhere, and in all shards if it declares
 * limits for them; it looks for their homes when it polls.
 *
 * <p>A shard that fails while another answers is in trouble of its own: see {@link
 * ShardMembership}. If none answers, the exchange fails as it would with one shard. A lease that is
 * lost in one shard is lost: the worker signs on again everywhere.
 */
final class ShardedWorkerSession implements WorkerSession {
  private static final Logger log = LoggerFactory.getLogger(ShardedWorkerSession.class);

  private static final Exchange NOTHING =
      new Exchange(List.of(), Set.of(), Map.of(), List.of(), Demand.NONE);

  /** Where a worker is on record for tasks that have no home yet, and the limits of those are. */
  static final int WAITING_ROOM = 0;

  private final List<ObjectJobStore> shards;
  private final Homes homes;
  private final StoreEnvironment environment;
  private volatile WorkerRegistration registration;
  private final LocalWaker newcomers;
  private final WorkerLeases.Held lease;
  private final Set<String> homeless;
  private final Map<String, Integer> homeOf = new HashMap<>();
  private final Map<Integer, Long> closedDoors = new HashMap<>();
  private final List<ShardMembership> members = Collections.synchronizedList(new ArrayList<>());
  private volatile Runnable wake;
  private final LookPace pace = new LookPace();
  private int turn;
  private boolean open;
  private SluiceException lastTrouble;

  /** Signs on, as far as tasks have a home. */
  ShardedWorkerSession(
      List<ObjectJobStore> shards,
      Homes homes,
      StoreEnvironment environment,
      WorkerRegistration registration,
      LocalWaker newcomers) {
    this.newcomers = newcomers;
    this.shards = shards;
    this.homes = homes;
    this.environment = environment;
    this.registration = registration;
    this.homeless = new HashSet<>(registration.tasks());
    this.lease = shards.get(WAITING_ROOM).openLease(registration);
    lookForHomes(true);
    if (!homeless.isEmpty() || members.isEmpty()) {
      join(WAITING_ROOM);
    }
    if (registration.limits().keySet().stream().anyMatch(this::isHomeless)) {
      // Wherever such a task comes to live, its limit is there before its first job.
      for (int shard = 0; shard < shards.size(); shard++) {
        join(shard);
      }
    }
    if (members.isEmpty()) {
      endLease();
      throw lastTrouble;
    }
    open = true;
  }

  @Override
  public String workerId() {
    return lease.worker();
  }

  /**
   * Signs on in shards that tasks of this worker have come to live in.
   *
   * @param ask whether to look, or to go by what this process knows
   */
  private void lookForHomes(boolean ask) {
    if (ask) {
      askForHomes();
    }
    for (String task : List.copyOf(homeless)) {
      OptionalInt home = homes.known(Homes.nameOf(task));
      if (home.isPresent() && join(home.getAsInt())) {
        homeOf.put(task, home.getAsInt());
        homeless.remove(task);
      }
    }
  }

  private void askForHomes() {
    pace.looked(environment.nanoTime().getAsLong());
    try {
      homes.findAll(homeless.stream().map(Homes::nameOf).toList());
    } catch (StoreUnavailableException | StoreIncompatibleException e) {
      lastTrouble = e;
      log.debug("The homes of tasks cannot be looked up yet.", e);
    }
  }

  private boolean isHomeless(Group group) {
    return homeless.contains(group.plainName());
  }

  /** Signs on in a shard; false if that does not work, now or a moment ago. */
  private boolean join(int shard) {
    if (everywhere().stream().anyMatch(member -> member.shard() == shard)) {
      return true;
    }
    long now = environment.nanoTime().getAsLong();
    Long closed = closedDoors.get(shard);
    if (closed != null && now - closed < ShardMembership.PAUSE.toNanos()) {
      return false;
    }
    try {
      ObjectWorkerSession session = shards.get(shard).openSession(registration, lease);
      // What is read once for all shards, such as pointers, may be older than this one's rules.
      members.add(new ShardMembership(shard, session, environment, open));
      closedDoors.remove(shard);
      if (wake != null) {
        session.onWake(wake);
      }
      return true;
    } catch (StoreUnavailableException | StoreIncompatibleException e) {
      if (closedDoors.put(shard, now) == null) {
        log.warn(
            "Worker {} cannot sign on in shard {}: {} It goes on in the others and tries again.",
            workerId(),
            shard,
            e.getMessage(),
            e);
      }
      lastTrouble = e;
      return false;
    }
  }

  private List<ShardMembership> everywhere() {
    synchronized (members) {
      return List.copyOf(members);
    }
  }

  @Override
  public Answer exchange(Exchange exchange) {
    requireLease();
    boolean quiet = exchange.outcomes().isEmpty() && exchange.released().isEmpty();
    boolean ask =
        exchange.demand().jobs() > 0
            && !homeless.isEmpty()
            && pace.mayLook(quiet, environment.nanoTime().getAsLong());
    lookForHomes(ask);
    List<ShardMembership> order = new ArrayList<>(everywhere());
    Collections.rotate(order, turn++);
    boolean stale = order.stream().anyMatch(ShardMembership::isStale);
    Round round = new Round(stale ? 0 : exchange.demand().jobs(), isEmpty(exchange));
    for (ShardMembership member : order) {
      round.visit(member, exchange);
    }
    requireSomeShard();
    pace.exchanged(quiet, 0, round.jobs.size());
    return round.answer(stale || (round.stale && round.jobs.isEmpty()));
  }

  private void requireLease() {
    if (lease.isOverdue()) {
      throw lease.overdue();
    }
  }

  private static boolean isEmpty(Exchange part) {
    return part.outcomes().isEmpty()
        && part.started().isEmpty()
        && part.progress().isEmpty()
        && part.released().isEmpty()
        && part.demand().jobs() == 0;
  }

  /** If no shard works, the store does not. */
  private void requireSomeShard() {
    List<ShardMembership> all = everywhere();
    if (!all.isEmpty() && all.stream().allMatch(member -> member.trouble() != null)) {
      throw all.get(0).trouble();
    }
  }

  /** One exchange in the making, shard by shard. */
  private final class Round {
    private final int wanted;
    private final boolean onlyPolls;
    private final Set<UUID> accepted = new HashSet<>();
    private final Set<UUID> cancelled = new HashSet<>();
    private final Set<UUID> deferred = new HashSet<>();
    private final List<ClaimedJob> jobs = new ArrayList<>();
    private final List<HeldSlot> slots = new ArrayList<>();
    private final Set<String> full = new HashSet<>();
    private Optional<Duration> nextDue = Optional.empty();
    private boolean stale;

    Round(int wanted, boolean onlyPolls) {
      this.wanted = wanted;
      this.onlyPolls = onlyPolls;
    }

    void visit(ShardMembership member, Exchange whole) {
      if (member.trouble() != null) {
        defer(member, whole);
        if (!member.isLeftAlone()) {
          tryAgain(member);
        }
        return;
      }
      Exchange part = member.partOf(whole, demandOf(member.shard(), whole.demand()));
      // A worker that only polls wants to hear of changed limits wherever it holds something, and
      // what it waits for where it has no more room for it has to be taken back.
      if (isEmpty(part)
          && !(onlyPolls && member.holdsAnything())
          && !member.session().isWaiting()) {
        return;
      }
      try {
        Answer answer = member.exchange(part);
        accepted.addAll(answer.accepted());
        cancelled.addAll(answer.cancelled());
        jobs.addAll(answer.jobs());
        slots.addAll(answer.slots());
        full.addAll(answer.full());
        stale |= member.isStale();
        answer.nextDue().ifPresent(this::comeBackIn);
      } catch (StoreUnavailableException | StoreIncompatibleException e) {
        member.failed(e);
        defer(member, whole);
      }
    }

    /** Whether a shard works again. What happened there before it failed is told by reconciling. */
    private void tryAgain(ShardMembership member) {
      try {
        member.exchange(NOTHING);
        stale |= member.isStale();
      } catch (StoreUnavailableException | StoreIncompatibleException e) {
        member.failed(e);
      }
    }

    private void defer(ShardMembership member, Exchange whole) {
      deferred.addAll(member.endedIn(whole));
      member.owe(member.partOf(whole, Demand.NONE));
      comeBackIn(ShardMembership.PAUSE);
    }

    /** What a shard is asked for: tasks that live there, as long as more is wanted. */
    private Demand demandOf(int shard, Demand whole) {
      List<TaskDemand> tasks =
          whole.tasks().stream()
              .filter(task -> homeOf.getOrDefault(task.task(), -1) == shard)
              .toList();
      int left = wanted - jobs.size();
      return left <= 0 || tasks.isEmpty() ? Demand.NONE : new Demand(left, tasks, whole.spare());
    }

    private void comeBackIn(Duration time) {
      nextDue = Optional.of(nextDue.filter(other -> other.compareTo(time) < 0).orElse(time));
    }

    Answer answer(boolean reconcile) {
      return new Answer(
          accepted,
          cancelled,
          deferred,
          jobs,
          slots,
          reconcile,
          stale && !reconcile ? Optional.of(Duration.ZERO) : nextDue,
          full);
    }
  }

  @Override
  public Set<UUID> renew(Duration atLeast) {
    requireLease();
    lease.renew(ObjectWorkerSession.longer(atLeast, registration.lease()));
    Set<UUID> unwanted = new HashSet<>();
    everywhere().forEach(member -> unwanted.addAll(member.session().renewed()));
    return unwanted;
  }

  @Override
  public Standing reconcile(Map<UUID, Long> known) {
    requireLease();
    Map<UUID, Standing.Held> jobs = new HashMap<>();
    List<HeldSlot> slots = new ArrayList<>();
    Set<String> draining = new HashSet<>();
    for (ShardMembership member : everywhere()) {
      Standing standing;
      try {
        standing = member.isLeftAlone() ? member.unreconciled(known) : member.reconcile(known);
      } catch (StoreUnavailableException | StoreIncompatibleException e) {
        member.failed(e);
        standing = member.unreconciled(known);
      }
      jobs.putAll(standing.jobs());
      slots.addAll(standing.slots());
      draining.addAll(standing.draining());
    }
    requireSomeShard();
    return new Standing(jobs, slots, draining);
  }

  /**
   * In every shard, though a task lives in one: there are few declarations. A shard in trouble is
   * told when it works again, before it is asked for jobs.
   */
  @Override
  public void declare(Map<Group, Integer> limits) {
    requireLease();
    registration = registration.declaring(limits);
    for (ShardMembership member : everywhere()) {
      try {
        member.declare(limits);
      } catch (StoreUnavailableException | StoreIncompatibleException e) {
        member.failed(e);
      }
    }
    requireSomeShard();
  }

  @Override
  public void onWake(Runnable call) {
    wake = call;
    newcomers.add(workerId(), news -> call.run());
    everywhere().forEach(member -> member.session().onWake(call));
  }

  @Override
  public void close() {
    newcomers.remove(workerId());
    boolean allSignedOff = true;
    for (ShardMembership member : everywhere()) {
      allSignedOff &= member.session().signOff();
    }
    if (allSignedOff) {
      endLease();
    }
  }

  private void endLease() {
    shards.get(WAITING_ROOM).endLease(workerId());
  }

  @Override
  public void publish(String bulletin) {
    requireLease();
    lease.publish(bulletin);
  }
}
