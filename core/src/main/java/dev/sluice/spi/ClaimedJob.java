package dev.sluice.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A job that belongs to a worker until it reports an outcome or loses its lease.
 *
 * @param id its id
 * @param token the fencing token of this claim
 * @param task the task's name
 * @param run how it is to be run
 * @param bond the groups it is in
 * @param payload JSON text
 */
public record ClaimedJob(UUID id, long token, String task, Run run, Bond bond, String payload) {
  /** A job of which every group has a limit. */
  public ClaimedJob(UUID id, long token, String task, Run run, List<String> gates, String payload) {
    this(id, token, task, run, new Bond(gates, List.of(), false), payload);
  }

  /**
   * The limited groups in which it runs under slots lent to the worker, by canonical name: it may
   * start only when for each of them the worker runs fewer jobs than it holds slots.
   */
  public List<String> gates() {
    return bond.gates;
  }

  /** The same job, on record in these slots of its gates. */
  public ClaimedJob in(List<Integer> slots) {
    Bond on = new Bond(bond.gates, bond.named, bond.others, bond.refiled, slots);
    return new ClaimedJob(id, token, task, run, on, payload);
  }

  /**
   * A slot that a job names: of the jobs that name it, the worker runs one at a time. It has no
   * token and is never given back: it is free as soon as no claimed job names it.
   *
   * @param group the limited group, by canonical name
   * @param slot the number of the slot in it
   */
  public record NamedSlot(String group, int slot) {}

  /**
   * The groups of a claimed job, by canonical name. A group with a limit, its task's own among them
   * if it has one, is either one of the gates or has a slot that the job names.
   *
   * @param gates those with a limit in which the job runs under slots lent to the worker
   * @param named those with a limit in which the job has a slot of its own, with that slot
   * @param others those without a limit
   * @param refiled whether a worker has filed the job anew before: see {@link JobOutcome.Refiled}
   * @param slots in which slot of each of the gates the store has the job on record, so that its
   *     worker gives others back first; empty if the store does not say
   */
  public record Bond(
      List<String> gates,
      List<NamedSlot> named,
      List<String> others,
      boolean refiled,
      List<Integer> slots) {
    /** The groups of a job that names no slots and whose slots the store does not say. */
    public Bond(List<String> gates, List<String> others, boolean refiled) {
      this(gates, others, refiled, List.of());
    }

    /** The groups of a job that names no slots. */
    public Bond(List<String> gates, List<String> others, boolean refiled, List<Integer> slots) {
      this(gates, List.of(), others, refiled, slots);
    }

    /** What the job needs to run. */
    public Standing.Held held() {
      return new Standing.Held(gates, named);
    }

    /** All groups with a limit: the gates, then those in which the job names a slot. */
    public List<String> limited() {
      return held().limited();
    }

    /** Whether the job is in this group. */
    public boolean has(String group) {
      return gates.contains(group) || others.contains(group) || names(group);
    }

    private boolean names(String group) {
      for (NamedSlot slot : named) {
        if (slot.group.equals(group)) {
          return true;
        }
      }
      return false;
    }
  }

  /**
   * How a claimed job is to be run.
   *
   * @param attempt the number this attempt has (1 = the first)
   * @param counted whether the store has counted the attempt as started already
   * @param timeout how long it may run
   * @param waited how long it had been due when it was claimed, by the store's clock
   * @param trace where its trace goes on, as it was given at submit
   */
  public record Run(
      int attempt,
      boolean counted,
      Optional<Duration> timeout,
      Duration waited,
      Optional<String> trace) {}
}
