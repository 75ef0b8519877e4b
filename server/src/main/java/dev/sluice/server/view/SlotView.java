package dev.sluice.server.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sluice.JobInfo;
import dev.sluice.SlotInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * A held slot.
 *
 * @param since when the job in it started, or the permit was given; a slot that its worker keeps
 *     for its next job: when the worker took it
 * @param leaseSeconds how much of the lease is left, about; negative once it has expired
 */
public record SlotView(
    int slot,
    @JsonUnwrapped Holder holder,
    Instant since,
    Instant expiresAt,
    double leaseSeconds,
    long token) {
  /** Who holds it: a job, or whatever a permit's holder called itself. */
  public record Holder(
      @Maybe UUID job,
      @Maybe String holder,
      @Maybe String task,
      @Maybe String worker,
      @Maybe String workerName) {}

  /** A slot with its job, if that was found, and its worker's name, if that is known, or null. */
  public static SlotView of(
      SlotInfo slot, Optional<JobInfo> found, String workerName, Instant now) {
    Optional<UUID> job = job(slot);
    return new SlotView(
        slot.slotId(),
        new Holder(
            job.orElse(null),
            job.isPresent() ? null : slot.taskId().orElse(null),
            found.map(JobInfo::task).orElse(null),
            slot.workerId().orElse(null),
            workerName),
        slot.since(),
        slot.expiresAt(),
        ViewJson.seconds(Duration.between(now, slot.expiresAt())),
        slot.token());
  }

  /** The job that runs in the slot; empty if something else holds it. */
  public static Optional<UUID> job(SlotInfo slot) {
    return slot.taskId()
        .filter(id -> id.length() == 36)
        .flatMap(
            id -> {
              try {
                return Optional.of(UUID.fromString(id));
              } catch (IllegalArgumentException e) {
                return Optional.empty();
              }
            });
  }
}
