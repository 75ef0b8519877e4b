package dev.sluice.spi;

import dev.sluice.AuditReport;
import dev.sluice.ConcurrencyStatus;
import dev.sluice.Group;
import dev.sluice.GroupQuery;
import dev.sluice.GroupSummary;
import dev.sluice.LimitChange;
import dev.sluice.LimitLevel;
import dev.sluice.Page;
import dev.sluice.SlotInfo;
import dev.sluice.SlotLease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Limits, slots and permits. The promises are those of {@link dev.sluice.ConcurrencyLimits}. */
public interface LimitStore {
  /** Who asks for a slot, and for how long. */
  record SlotRequest(
      Group group, OptionalInt limit, String holderId, String workerId, Duration lease) {}

  /** Takes a free slot; expired ones of the group are freed first. */
  Optional<SlotLease> tryAcquire(SlotRequest request);

  /** Gives a slot back, by token; false if it is not held under that token any more. */
  boolean release(SlotLease lease);

  /**
   * Extends a lease to last {@code duration} from now, by the store's clock; empty if it is gone or
   * has expired.
   */
  Optional<SlotLease> extend(SlotLease lease, Duration duration);

  /** Frees expired permits of one group, or of all; how many in which group. */
  Map<Group, Integer> cleanupExpired(Optional<Group> group);

  /** The group's limit and holders. */
  ConcurrencyStatus status(Group group);

  /** Every group or family that has a limit, and every group with a held slot; by name. */
  List<Group> groups();

  /** Groups in a line each. */
  Page<GroupSummary> summaries(GroupQuery query);

  /**
   * Sets or (empty) takes away the limit of a group or family at one level, and puts that on the
   * log if it changed anything. When it returns, every live worker that could start a job under the
   * old number has heard of the new one, or is given up waiting for after two seconds.
   *
   * @param by who does it, for the log: up to 200 characters
   */
  void setLimit(Group group, LimitLevel level, OptionalInt limit, String by);

  /**
   * Where payloads have the values of dimensions, as far as that is on record: a JSON pointer by
   * the family of the dimension, {@code task/dimension=*}.
   */
  Map<Group, String> pointers();

  /**
   * Puts pointers on record, in place of those that their families had; those of other families
   * stay. If that changes anything, every worker that is told of a changed limit of these families
   * is told to reconcile in the same way, after the pointers are on record. Otherwise nothing is
   * written.
   */
  void recordPointers(Map<Group, String> pointers);

  /**
   * The log of limits at the levels {@code operator} and {@code config}: of one group or of all,
   * newest first. At least the latest 1,000 changes are kept, and of each limit that a
   * configuration file gives the one that set it.
   */
  List<LimitChange> changes(Optional<Group> group, int most);

  /**
   * Works out from the holders on record (jobs, permits, worker leases) who holds what, and
   * compares that with slots, counts and limits.
   *
   * @param repair whether to put right what can be, in one transaction with looking
   */
  AuditReport audit(boolean repair);

  /**
   * As {@code audit(true)}, unless somebody was let do it by this method within {@code interval},
   * by the store's clock and by whichever client: so that all who ask every now and then look once
   * between them.
   *
   * @return empty if it was not due, or another client is at it
   */
  Optional<AuditReport> auditIfDue(Duration interval);

  /** Lets every token that is given out from now on be above this one. */
  void raiseTokens(long above);

  /** Frees a slot whoever holds it; who that was. */
  Optional<SlotInfo> forceRelease(Group group, int slot);
}
