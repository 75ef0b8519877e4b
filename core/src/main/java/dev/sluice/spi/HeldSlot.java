package dev.sluice.spi;

/**
 * A slot lent to a worker: the worker keeps it from job to job until it gives it back.
 *
 * @param group the group's canonical name
 * @param slot which of its places
 * @param token the fencing token under which it is held
 */
public record HeldSlot(String group, int slot, long token) {}
