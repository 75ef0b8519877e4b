package dev.sluice.postgres;

import dev.sluice.Group;
import dev.sluice.LeaseLostException;
import dev.sluice.SluiceException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.ClaimedJob;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import dev.sluice.spi.Standing;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's standing with PostgreSQL. What happens in an exchange is written in {@code
 * migration/011_create_exchange.sql}.
 *
 * <p><b>Going to sleep.</b> A worker that got less than it asked for says so in its row ({@code
 * waiting_for}) and is told to look once more at once. A transaction that gives it something to do
 * looks at the row after its commit, and sends a notification. Either the second look saw the work
 * or the row was seen: no wake-up is lost, and a busy worker is never notified.
 *
 * <p>The submit of a single job looks at the rows before its commit as well ({@code wake_one}), to
 * save a transaction. A worker that it finds there is notified by the commit itself, and its row no
 * longer says that it waits: so two jobs never count on the same worker. If it finds none, it looks
 * again after the commit, like all others. The first look alone would not do: the worker may say
 * that it waits right after that look, and look for jobs itself before the commit.
 *
 * <p>{@code armed} remembers what the row says, until a wake-up takes it back.
 *
 * <p><b>Calls that come late.</b> The server may carry a call out long after this side has given it
 * up: its answer timed out, or its connection was cut. Each reconcile therefore begins a new epoch,
 * numbered here, and each exchange and declaration names the epoch it belongs to. The server
 * carries out neither of them in another epoch, nor a reconcile of an old one; so what the worker
 * and the store agree on in a reconcile stays true whatever is still under way.
 */
final class PostgresWorkerSession implements WorkerSession {
  private static final Logger log = LoggerFactory.getLogger(PostgresWorkerSession.class);
  private static final long TELL_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private static final String REGISTER = "SELECT ${schema}.register_worker(?, ?, ?, ?, ?, ?, ?, ?)";

  /** {@link ExchangeAnswer} reads the columns by their place. */
  private static final String EXCHANGE =
      """
      SELECT news, id, token, task, attempt, counted, timeout_ms, first_group, own_slot, first_slot, groups, slots,
        refiled, payload, trace, waited_ms
      FROM ${schema}.exchange(?, ?,
        ROW(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)::${schema}.report,
        ROW(?, ?, ?, ?::jsonb, ?, ?, ?::jsonb, ?, ?, ?::${schema}.place_in_line[], ?, ?, ?, ?, NULL, NULL, NULL, NULL)::${schema}.demand)
      """;

  private static final String ARM =
      "UPDATE ${schema}.worker SET waiting_for = string_to_array(?, E'\\n') WHERE id = ?";
  private static final String RENEW = "SELECT ${schema}.renew_worker(?, ?, ?)";
  private static final String PUBLISH =
      "UPDATE ${schema}.worker SET bulletin = ? WHERE id = ? AND expires_at > clock_timestamp()";
  private static final String TO_CANCEL =
      "SELECT id FROM ${schema}.job WHERE worker_id = ? AND cancel_requested AND state = 2";
  private static final String RECONCILE = "SELECT ${schema}.reconcile(?, ?, ?, ?)";
  private static final String DECLARE = "SELECT ${schema}.declare_limits(?, ?, ?, ?)";
  private static final String ATTEST = "SELECT ${schema}.attest(?, ?, ?, ?, ?, ?, ?, ?)";
  private static final String SIGN_OFF = "SELECT ${schema}.sign_off(?, ?)";

  private final UUID id = UUID.randomUUID();
  private final Database database;
  private final WorkerRegistration registration;
  private final Links links;
  private final OwnTasks ownTasks;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Renewals renewals;
  private volatile boolean lost;
  private volatile Set<String> armed = Set.of();

  /**
   * Groups of which jobs should have been called back for a slot that came free, but others had
   * them locked. The next exchange tries again, and follows at once. A worker that dies before that
   * leaves them to the chores.
   */
  private volatile Set<String> leftBehind = Set.of();

  // What the worker works by, as of the latest reconcile; used by the exchanging thread only.
  private long epoch;
  private long latestEpoch;
  private long rulesVersion;
  private long highestToken;
  private final VainLooks vainLooks = new VainLooks();
  private final NamedSlots named = new NamedSlots();
  private final LinePositions line = new LinePositions(System::nanoTime);
  private final TasksInTheWay inTheWay = new TasksInTheWay(System::nanoTime);

  /**
   * When it was last asked what keeps jobs away: once in a while, since a worker below saturation
   * finds too little with every claim.
   */
  private long toldAt = System.nanoTime() - TELL_EVERY_NANOS;

  /** The parts of the store that a session needs besides the database. */
  record Links(
      NotificationListener listener, Waker waker, JobSubmitter submitter, GroupKeeper keeper) {}

  private PostgresWorkerSession(Database database, WorkerRegistration registration, Links links) {
    this.database = database;
    this.registration = registration;
    this.links = links;
    this.highestToken = registration.highestToken();
    this.renewals = new Renewals(registration.lease(), System::nanoTime);
    this.ownTasks = OwnTasks.of(registration.tasks());
  }

  static PostgresWorkerSession open(
      Database database, WorkerRegistration registration, Links links) {
    PostgresWorkerSession session = new PostgresWorkerSession(database, registration, links);
    database.run(
        REGISTER,
        session.id,
        registration.name(),
        SqlArray.TEXT.of(registration.queues()),
        SqlArray.TEXT.of(session.ownTasks.canonical().values()),
        SqlArray.TEXT.of(registration.limits().keySet(), Group::toString),
        SqlArray.INT4.of(registration.limits().values()),
        registration.lease().toMillis(),
        registration.highestToken());
    session.reconcile(Map.of());
    return session;
  }

  @Override
  public String workerId() {
    return id.toString();
  }

  @Override
  public Exchange.Answer exchange(Exchange exchange) {
    List<String> start = line.startOf(exchange.demand().jobs());
    boolean asks = !exchange.demand().tasks().isEmpty();
    boolean tell = asks && System.nanoTime() - toldAt >= TELL_EVERY_NANOS;
    boolean front = asks && start.isEmpty() && inTheWay.isLookDue();
    Set<String> calledAgain = leftBehind;
    // Should the answer be lost, so is what it says about the groups of these slots.
    leftBehind = new HashSet<>(calledAgain);
    exchange.released().forEach(slot -> leftBehind.add(slot.group()));
    Object[] parameters = parameters(exchange, start, calledAgain, tell, front);
    ExchangeAnswer answer =
        database.call(
            connection -> {
              ExchangeAnswer rows = new ExchangeAnswer(ownTasks);
              database.list(connection, EXCHANGE, rows::add, parameters);
              return rows;
            });
    requireStanding(answer.says("lost"), answer.says("late"));
    boolean stale = answer.says("stale");
    List<ClaimedJob> jobs = answer.jobs();
    List<HeldSlot> lent = answer.lent();
    for (ClaimedJob job : jobs) {
      highestToken = Math.max(highestToken, job.token());
    }
    lent.forEach(slot -> highestToken = Math.max(highestToken, slot.token()));
    leftBehind = answer.names("left_behind");
    Set<UUID> refused = answer.ids("refused");
    List<UUID> accepted = new ArrayList<>(exchange.outcomes().size());
    for (JobOutcome outcome : exchange.outcomes()) {
      if (!refused.contains(outcome.id())) {
        accepted.add(outcome.id());
      }
    }
    Map<String, Integer> room = named.exchange(accepted, jobs);
    calledAgain.forEach(group -> room.merge(group, 1, Integer::sum));
    exchange.released().forEach(slot -> room.merge(slot.group(), 1, Integer::sum));
    lent.forEach(slot -> room.merge(slot.group(), -1, Integer::sum));
    boolean returned = OutcomeColumns.anyReturned(exchange.outcomes());
    wakeOthers(returned, room, answer.names("shared"));
    Map<String, Integer> proposed = answer.proposed();
    if (!proposed.isEmpty()) {
      links.submitter.propose(proposed);
    }
    links.keeper.giveLanes(inTheWay.lasting(answer.names("unwanted"), front && !stale));
    links.keeper.heat(answer.names("contended"));
    boolean unfilled = jobs.size() < exchange.demand().jobs() && !stale;
    boolean more = answer.says("more") || !proposed.isEmpty();
    line.endedAt(exchange.demand().jobs(), answer.ends());
    if (tell && unfilled && !answer.says("more")) {
      toldAt = System.nanoTime();
    }
    Set<String> full = answer.names("full");
    Duration pause = vainLooks.pauseAfter(answer.says("more") && jobs.isEmpty(), !full.isEmpty());
    Optional<Duration> nextDue =
        more ? Optional.of(proposed.isEmpty() ? pause : Duration.ZERO) : answer.due();
    if (unfilled && (returned || arm(exchange.demand()))) {
      nextDue = Optional.of(Duration.ZERO);
    }
    return new Exchange.Answer(
        new HashSet<>(accepted),
        answer.ids("cancelled"),
        Set.of(),
        jobs,
        lent,
        stale,
        leftBehind.isEmpty() ? unfilled ? nextDue : Optional.empty() : Optional.of(Duration.ZERO),
        full);
  }

  /** Says what this worker is waiting for; whether that is new. */
  private boolean arm(Exchange.Demand demand) {
    Set<String> tasks =
        demand.tasks().stream()
            .map(task -> ownTasks.canonical().get(task.task()))
            .collect(Collectors.toSet());
    if (armed.equals(tasks)) {
      return false;
    }
    armed = tasks;
    database.update(ARM, String.join("\n", tasks), id);
    return true;
  }

  private Object[] parameters(
      Exchange exchange, List<String> start, Set<String> calledAgain, boolean tell, boolean front) {
    Exchange.Demand demand = exchange.demand();
    List<Object> parameters = new ArrayList<>(List.of(id, epoch));
    // report
    parameters.addAll(OutcomeColumns.of(exchange.outcomes()));
    parameters.add(SqlArray.UUID.of(exchange.started()));
    parameters.add(SqlArray.UUID.of(exchange.progress().keySet()));
    parameters.add(SqlArray.TEXT.of(exchange.progress().values()));
    parameters.addAll(columns(exchange.released()));
    parameters.add(SqlArray.TEXT.of(calledAgain));
    // demand
    parameters.add(rulesVersion);
    parameters.add(SqlArray.TEXT.of(registration.queues()));
    parameters.add(demand.tasks().isEmpty() ? 0 : demand.jobs());
    parameters.addAll(DemandColumns.of(demand, ownTasks.canonical()));
    parameters.addAll(
        List.of(SqlArray.TEXT.of(start), tell, front, highestToken, vainLooks.last()));
    return parameters.toArray();
  }

  private static List<Object> columns(List<HeldSlot> slots) {
    return List.of(
        SqlArray.TEXT.of(slots, HeldSlot::group),
        SqlArray.INT4.of(slots, HeldSlot::slot),
        SqlArray.INT8.of(slots, HeldSlot::token));
  }

  /**
   * What one worker gives back and does not take again at once, others may be waiting for. Room in
   * a task's own group or in one of its keys concerns those who handle the task; anything else may
   * concern anyone.
   */
  private void wakeOthers(boolean returned, Map<String, Integer> room, Set<String> shared) {
    Map<Waker.News, Integer> news = new HashMap<>();
    if (returned) {
      news.put(Waker.News.FOR_EVERYONE, Waker.ALL);
    }
    room.forEach(
        (group, places) -> {
          if (places > 0) {
            String plain = plain(group);
            boolean own = ownTasks.names().containsKey(plain) && !shared.contains(group);
            news.put(own ? Waker.News.ofTask(plain) : Waker.News.FOR_EVERYONE, Waker.ALL);
          }
        });
    if (!news.isEmpty()) {
      links.waker.wakeFor(news);
    }
  }

  /** The plain group that a group is keyed under, or the group itself; by canonical names. */
  private static String plain(String group) {
    int slash = group.indexOf('/');
    return slash < 0 ? group : group.substring(0, slash);
  }

  @Override
  public Set<UUID> renew(Duration atLeast) {
    Renewals.Renewal next = renewals.next(atLeast);
    return links.listener.urgently(
        connection -> {
          boolean renewed =
              database.one(
                  connection, RENEW, row -> row.getBoolean(1), id, next.number(), next.millis());
          if (!renewed) {
            throw lost();
          }
          return new HashSet<>(
              database.list(connection, TO_CANCEL, row -> row.getObject(1, UUID.class), id));
        });
  }

  @Override
  public void publish(String bulletin) {
    if (database.update(PUBLISH, bulletin, id) == 0) {
      throw lost();
    }
  }

  @Override
  public Standing reconcile(Map<UUID, Long> known) {
    // A number of its own for each try: one whose answer is lost may yet be carried out.
    long next = ++latestEpoch;
    String said =
        database.one(
            RECONCILE,
            row -> row.getString(1),
            id,
            next,
            SqlArray.UUID.of(known.keySet()),
            SqlArray.INT8.of(known.values()));
    if (said == null) {
      throw lost();
    }
    ReconcileAnswer answer = new ReconcileAnswer(said);
    requireStanding(false, answer.isLate());
    epoch = next;
    rulesVersion = answer.rulesVersion();
    armed = Set.of();
    Standing standing = answer.standing();
    named.replace(
        standing.jobs().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, job -> job.getValue().named())));
    return standing;
  }

  @Override
  public void declare(Map<Group, Integer> limits) {
    String said =
        database.one(
            DECLARE,
            row -> row.getString(1),
            id,
            epoch,
            SqlArray.TEXT.of(limits.keySet(), Group::toString),
            SqlArray.INT4.of(limits.values()));
    requireStanding(said.equals("lost"), said.equals("late"));
  }

  @Override
  public void attest(Map<UUID, Long> claims, List<HeldSlot> slots) {
    List<Object> parameters = new ArrayList<>(List.of(id, epoch, rulesVersion));
    parameters.add(SqlArray.UUID.of(claims.keySet()));
    parameters.add(SqlArray.INT8.of(claims.values()));
    parameters.addAll(columns(slots));
    database.run(ATTEST, parameters.toArray());
  }

  @Override
  public void onWake(Runnable wake) {
    links.listener.add(
        workerId(),
        () -> {
          armed = Set.of();
          wake.run();
        });
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    links.listener.remove(workerId());
    if (lost) {
      return;
    }
    try {
      database.run(SIGN_OFF, id, SqlArray.TEXT.of(leftBehind));
    } catch (SluiceException e) {
      log.warn("Worker {} could not sign off; what it held comes free when its lease ends.", id, e);
    }
  }

  /**
   * A worker that has lost its lease ends. One whose call came late, by which nothing was changed,
   * reconciles, and then says the same again.
   */
  private void requireStanding(boolean isLost, boolean isLate) {
    if (isLost) {
      throw lost();
    }
    if (isLate) {
      throw new StoreUnavailableException(
          "Worker %s (%s) and the store have not agreed on what it holds since epoch %d; it reconciles."
              .formatted(id, registration.name(), epoch));
    }
  }

  private LeaseLostException lost() {
    lost = true;
    links.listener.remove(workerId());
    return new LeaseLostException(
        "Worker %s (%s) lost its lease of %s; what it held may be someone else's now."
            .formatted(id, registration.name(), registration.lease()));
  }
}
