package dev.sluice;

import java.time.Instant;

/**
 * A slot of a group held for a time.
 *
 * @param group the group
 * @param slot which of its places
 * @param token the fencing token: it only grows, and an old one changes nothing
 * @param holderId who holds it, as told by the caller
 * @param expiresAt until when, by the store's clock
 */
public record SlotLease(Group group, int slot, long token, String holderId, Instant expiresAt) {}
