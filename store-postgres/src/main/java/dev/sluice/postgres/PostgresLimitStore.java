package dev.sluice.postgres;

import dev.sluice.AuditReport;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.InvalidRequestException;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.Page;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import dev.sluice.spi.LimitStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Limits, slots and permits on PostgreSQL; the protocol is in {@code migration/002} to {@code 005}.
 */
final class PostgresLimitStore implements LimitStore {
  private static final Duration AWARENESS_TIMEOUT = Duration.ofSeconds(2);
  private static final long AWARENESS_POLL_MS = 10;

  private static final String LIMIT_OF = "SELECT ${schema}.limit_in_use(?)";
  private static final String ACQUIRE_PERMIT =
      "SELECT slot, token, expires_at FROM ${schema}.acquire_permit(?, ?::int, ?, ?, ?)";
  private static final String FREE_SLOT =
      "SELECT freed, left_behind FROM ${schema}.free_slot(?, ?, ?::bigint)";
  private static final String EXTEND =
      """
      UPDATE ${schema}.slot
      SET expires_at = clock_timestamp() + ? * interval '1 millisecond', lease_ms = ?
      WHERE group_name = ? AND slot = ? AND token = ? AND expires_at > clock_timestamp()
      RETURNING expires_at
      """;
  private static final String RAISE_TOKENS = "SELECT ${schema}.raise_tokens(?)";
  private static final String CLEANUP_EXPIRED =
      "SELECT group_name, freed FROM ${schema}.free_expired_permits(?::text)";
  private static final String SET_LIMIT = "SELECT ${schema}.set_limit(?, ?, ?::int, ?)";
  private static final String POINTERS = "SELECT family, pointer FROM ${schema}.pointer";
  private static final String RECORD_POINTERS = "SELECT ${schema}.record_pointers(?, ?)";
  private static final String CALL_BACK_AND_WAIT = "SELECT ${schema}.call_back_and_wait(?)";
  private static final String CALL_BACK = "SELECT ${schema}.call_back(?, ?)";
  private static final String CALL_BACK_FORGOTTEN =
      "SELECT ${schema}.call_back_forgotten(?::text, ?)";
  private static final long CALL_BACK_BATCH = 5_000;
  private static final int LANES_PER_LOOK = 200;
  private static final String UNAWARE_WORKERS = "SELECT ${schema}.unaware_workers(?, ?)";

  private final Database database;
  private final JobSubmitter submitter;
  private final Waker waker;
  private final NotificationListener listener;
  private final LimitReader reader;
  private final GroupLister lister;
  private final SlotAuditor auditor;
  private volatile String lookFrom;

  PostgresLimitStore(
      Database database, JobSubmitter submitter, Waker waker, NotificationListener listener) {
    this.database = database;
    this.submitter = submitter;
    this.waker = waker;
    this.listener = listener;
    this.reader = new LimitReader(database);
    this.lister = new GroupLister(database);
    this.auditor = new SlotAuditor(database);
  }

  @Override
  public Optional<SlotLease> tryAcquire(SlotRequest request) {
    String group = request.group().toString();
    if (limitOf(group).isEmpty()) {
      if (request.limit().isEmpty()) {
        throw new InvalidRequestException(
            "The group '%s' has no limit, so it has no slots. Set one first, or give a limit."
                .formatted(group));
      }
      if (request.group().equals(request.group().plain())) {
        submitter.propose(Map.of(group, request.limit().getAsInt()));
      }
    }
    return database.first(
        ACQUIRE_PERMIT,
        row ->
            new SlotLease(
                request.group(),
                row.getInt("slot"),
                row.getLong("token"),
                request.holderId(),
                Database.instant(row, "expires_at")),
        group,
        Database.orNull(request.limit()),
        request.holderId(),
        request.workerId(),
        request.lease().toMillis());
  }

  private OptionalInt limitOf(String group) {
    return database.one(LIMIT_OF, row -> Database.number(row, "limit_in_use"), group);
  }

  @Override
  public boolean release(SlotLease lease) {
    return free(lease.group(), lease.slot(), lease.token());
  }

  private boolean free(Group group, int slot, Long token) {
    record Freed(boolean any, boolean leftBehind) {}
    Freed freed =
        database.one(
            FREE_SLOT,
            row -> new Freed(row.getBoolean(1), row.getBoolean(2)),
            group.toString(),
            slot,
            token);
    if (freed.leftBehind) {
      database.run(CALL_BACK_AND_WAIT, group.toString());
    }
    if (freed.any) {
      waker.wakeAll();
    }
    return freed.any;
  }

  @Override
  public Optional<SlotLease> extend(SlotLease lease, Duration duration) {
    return listener.urgently(
        connection ->
            database.first(
                connection,
                EXTEND,
                row ->
                    new SlotLease(
                        lease.group(),
                        lease.slot(),
                        lease.token(),
                        lease.holderId(),
                        Database.instant(row, "expires_at")),
                duration.toMillis(),
                duration.toMillis(),
                lease.group().toString(),
                lease.slot(),
                lease.token()));
  }

  @Override
  public Map<Group, Integer> cleanupExpired(Optional<Group> group) {
    Map<Group, Integer> freed = new TreeMap<>();
    database.list(
        CLEANUP_EXPIRED,
        row -> freed.put(Group.parse(row.getString("group_name")), row.getInt("freed")),
        group.map(Group::toString).orElse(null));
    if (!freed.isEmpty()) {
      waker.wakeAll();
    }
    return freed;
  }

  @Override
  public ConcurrencyStatus status(Group group) {
    return reader.status(group);
  }

  @Override
  public List<Group> groups() {
    return reader.groups();
  }

  @Override
  public Page<GroupSummary> summaries(GroupQuery query) {
    return lister.list(query);
  }

  @Override
  public List<LimitChange> changes(Optional<Group> group, int most) {
    return reader.changes(group, most);
  }

  @Override
  public Map<Group, String> pointers() {
    Map<Group, String> pointers = new TreeMap<>();
    database.list(
        POINTERS,
        row -> pointers.put(Group.parse(row.getString("family")), row.getString("pointer")));
    return pointers;
  }

  @Override
  public void recordPointers(Map<Group, String> pointers) {
    database.run(
        RECORD_POINTERS,
        SqlArray.TEXT.of(pointers.keySet(), Group::toString),
        SqlArray.TEXT.of(pointers.values()));
  }

  @Override
  public void raiseTokens(long above) {
    database.run(RAISE_TOKENS, above);
  }

  @Override
  public AuditReport audit(boolean repair) {
    return auditor.audit(repair);
  }

  @Override
  public Optional<AuditReport> auditIfDue(Duration interval) {
    return auditor.auditIfDue(interval);
  }

  @Override
  public void setLimit(Group group, LimitLevel level, OptionalInt limit, String by) {
    long version =
        database.one(
            SET_LIMIT,
            row -> row.getLong(1),
            group.toString(),
            level.toString(),
            Database.orNull(limit),
            by);
    if (limitOf(group.toString()).isEmpty()) {
      callBackAll(group);
    }
    awaitAwareness(group, version);
  }

  /**
   * Calls back all jobs that wait for a group that has no limit any more, in short transactions.
   */
  private void callBackAll(Group group) {
    long called = CALL_BACK_BATCH;
    while (called >= CALL_BACK_BATCH) {
      called = database.one(CALL_BACK, row -> row.getLong(1), group.toString(), CALL_BACK_BATCH);
    }
    waker.wakeAll();
  }

  /**
   * Looks at some of the groups that jobs stand aside for, and calls jobs back where there is room.
   */
  void callBackForgotten() {
    lookFrom = database.one(CALL_BACK_FORGOTTEN, row -> row.getString(1), lookFrom, LANES_PER_LOOK);
  }

  /**
   * A worker that has not heard of the change yet may start what it has in its buffer under the old
   * number. Live ones answer within a round trip; one that is frozen is not waited for longer than
   * it is worth.
   */
  private void awaitAwareness(Group group, long version) {
    long deadline = System.nanoTime() + AWARENESS_TIMEOUT.toNanos();
    while (System.nanoTime() < deadline) {
      if (database.one(UNAWARE_WORKERS, row -> row.getLong(1), group.toString(), version) == 0) {
        return;
      }
      try {
        Thread.sleep(AWARENESS_POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public Optional<SlotInfo> forceRelease(Group group, int slot) {
    Optional<SlotInfo> held =
        reader.slots(group).stream().filter(info -> info.slotId() == slot).findFirst();
    return held.isPresent() && free(group, slot, null) ? held : Optional.empty();
  }
}
