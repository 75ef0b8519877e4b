package dev.sluice;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The limiter by itself: limits, their slots and who holds them, shared with the jobs of the same
 * groups. Thread-safe.
 *
 * <p>Methods that take a {@code String} mean the plain group of that name; for keyed groups and
 * families build a {@link Group}.
 */
public interface ConcurrencyLimits {
  /** How long a permit's lease lasts between renewals: {@link SluiceOptions#lease}. */
  Duration defaultLease();

  /**
   * Takes a free slot, if there is one.
   *
   * @param group the group
   * @param limit its limit, set only where it has none yet; empty uses what is stored
   * @param holderId who will hold it, for operators
   * @param workerId the process that holds it, for operators
   * @param lease how long, unless extended
   * @return the slot with its token, or empty when the group is full
   * @throws InvalidRequestException if the group has no limit and none was given
   */
  Optional<SlotLease> tryAcquire(
      Group group, OptionalInt limit, String holderId, String workerId, Duration lease);

  /**
   * Gives a slot back. False if the lease had expired or was taken away; nothing is changed then.
   */
  boolean release(SlotLease lease);

  /**
   * Extends a lease to last {@code duration} from now. Empty if it had expired or was taken away.
   */
  Optional<SlotLease> extendLease(SlotLease lease, Duration duration);

  /** Frees expired slots of one group; returns how many. */
  int cleanupExpired(Group group);

  /** Frees expired slots of every group; returns how many in which group. */
  Map<Group, Integer> cleanupExpired();

  /** The group's limit and holders. */
  ConcurrencyStatus status(Group group);

  /** Every group that has a limit, a family included, or a held slot; by name. */
  List<Group> groups();

  /**
   * How many submits and permits were refused through this {@link Sluice} because the group was
   * full, by canonical name of the group, since it was opened. Those that a worker of the same
   * Sluice counts in its bulletins are not among them; the less busy of many groups are counted as
   * {@link WorkerBulletin#OTHER}.
   */
  Map<String, Long> refusals();

  /** Groups in a line each: the busiest, or all by name, a page at a time. */
  Page<GroupSummary> summaries(GroupQuery query);

  /**
   * Who changed which limit when, newest first: the changes by operators and configuration files,
   * of one group or of all.
   */
  List<LimitChange> changes(Optional<Group> group, int most);

  /**
   * Works out from the holders on record who holds what, and compares that with slots and limits.
   * Workers do so by themselves every now and then, and repair.
   */
  AuditReport audit(boolean repair);

  /**
   * Lets every fencing token that is given out from now on be above this one: for a store that was
   * set up anew or restored from a backup, beside data that keeps tokens of the store as it was. It
   * cannot be lowered again, so it is at most 2^62.
   */
  void raiseTokens(long above);

  /**
   * The same limiter for somebody else: changes made through it stand in the log under this name.
   * By default that is the user and host of this process.
   */
  ConcurrencyLimits as(String actor);

  /**
   * Sets the operator's limit of a group or family. It holds when this returns: raising wakes the
   * waiting, lowering drains (nothing running is stopped, nothing new starts until there is room),
   * 0 holds the group.
   */
  void setLimit(Group group, int limit);

  /**
   * Sets the operator's limit of each value of a dimension, and where the JSON of a payload has
   * that value. It is what {@link Task.Builder#maxConcurrentPer(String, String, int)} declares, for
   * tasks whose code does not. The pointer stays on record until another takes its place, and
   * counts while the family has a limit.
   *
   * @param family {@code task/dimension=*}, see {@link Group#anyValueOf}
   * @param pointer a JSON pointer (RFC 6901) such as {@code /tenant}
   * @throws InvalidRequestException if the group is no such family, the pointer is none, or the
   *     task has as many dimensions with pointers as are allowed
   */
  void setLimit(Group family, int limit, String pointer);

  /** The pointers on record, by family; one whose family has no limit does nothing. */
  Map<Group, String> pointers();

  /**
   * Takes the operator's limit away, and one that came with a submit: what a configuration file or
   * the code says holds again, or nothing does until a submit brings a limit along.
   */
  void removeLimit(Group group);

  /**
   * Sets (or, empty, takes away) the limit of a group or family that configuration files give. An
   * operator's limit is stronger, one in code is weaker.
   */
  void configureLimit(Group group, OptionalInt limit);

  /** The same for each value of a dimension, as {@link #setLimit(Group, int, String)} has it. */
  void configureLimit(Group family, int limit, String pointer);

  /**
   * Takes a slot away from whoever holds it, by force. The holder is not stopped, so the limit may
   * be exceeded until it ends: for operators who know that it is gone.
   *
   * @return who held it; empty if it was free
   */
  Optional<SlotInfo> forceRelease(Group group, int slot);

  /**
   * Waits for a slot.
   *
   * @return a permit that renews itself until closed
   * @throws LimitReachedException if none came free in time
   * @throws InvalidRequestException if the group has no limit
   */
  Permit acquire(Group group, Duration timeout) throws InterruptedException;

  /** {@link #acquire(Group, Duration)} for the plain group of this name. */
  default Permit acquire(String group, Duration timeout) throws InterruptedException {
    return acquire(Group.of(group), timeout);
  }

  /** {@link #setLimit(Group, int)} for the plain group of this name. */
  default void setLimit(String group, int limit) {
    setLimit(Group.of(group), limit);
  }

  /** {@link #removeLimit(Group)} for the plain group of this name. */
  default void removeLimit(String group) {
    removeLimit(Group.of(group));
  }

  /** {@link #status(Group)} for the plain group of this name. */
  default ConcurrencyStatus status(String group) {
    return status(Group.of(group));
  }
}
