package dev.sluice;

import java.time.Instant;
import java.util.Optional;

/**
 * A held slot as an operator sees it.
 *
 * @param slotId which of the group's places
 * @param taskId the job that runs in it, or the permit's holder; empty while a worker keeps it for
 *     its next job
 * @param workerId the worker
 * @param expiresAt until when the lease lasts unless renewed, by the store's clock
 * @param since when the job that runs in it started, or the permit was given; of a slot that a
 *     worker keeps for its next job, when the worker took it
 * @param token its fencing token
 */
public record SlotInfo(
    int slotId,
    Optional<String> taskId,
    Optional<String> workerId,
    Instant expiresAt,
    Instant since,
    long token) {}
