package dev.sluice.server.api;

import dev.sluice.ConcurrencyLimits;
import dev.sluice.Group;
import dev.sluice.SlotLease;
import dev.sluice.server.view.Maybe;
import dev.sluice.server.view.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;

/** The limiter by itself, for programs in any language: take a slot, keep it, give it back. */
final class PermitRoutes {
  private static final String TAG = "permits";
  private static final Duration LONGEST = Duration.ofDays(1);

  /** Who wants a slot, for how long, and the limit of the group if it has none yet. */
  record PermitRequest(String holder, @Maybe Double leaseSeconds, @Maybe Integer limit) {}

  /** A slot that was taken, as its holder names it. */
  record PermitHandle(String group, int slot, long token, @Maybe Double leaseSeconds) {}

  /** A slot, with the token that shows who holds it. */
  record PermitView(String group, int slot, long token, Instant expiresAt) {
    static PermitView of(SlotLease lease) {
      return new PermitView(
          lease.group().toString(), lease.slot(), lease.token(), lease.expiresAt());
    }
  }

  /** A slot was given back. */
  record PermitReleased(int released) {}

  private final Backend backend;

  PermitRoutes(Backend backend) {
    this.backend = backend;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/api/v1/permits")
            .says(TAG, "Take a free slot of a group, if there is one.")
            .takes(Parameter.GROUP)
            .takesBody(PermitRequest.class)
            .answers(Reply.json(201, PermitView.class, "The slot."))
            .run(this::acquire),
        Route.post("/api/v1/permits/extend")
            .says(TAG, "Keep a slot for longer.")
            .takesBody(PermitHandle.class)
            .answers(PermitView.class, "The slot.")
            .run(this::extend),
        Route.post("/api/v1/permits/release")
            .says(TAG, "Give a slot back.")
            .takesBody(PermitHandle.class)
            .answers(PermitReleased.class, "It is free.")
            .run(this::release));
  }

  private ConcurrencyLimits limits() {
    return backend.sluice().concurrency();
  }

  private Answer acquire(Call call) throws Exception {
    Group group = call.group();
    PermitRequest request = call.body(PermitRequest.class);
    call.subject(group + " for " + request.holder);
    OptionalInt limit = request.limit == null ? OptionalInt.empty() : OptionalInt.of(request.limit);
    SlotLease lease =
        limits()
            .tryAcquire(
                group, limit, request.holder, call.caller().actor(), lease(request.leaseSeconds))
            .orElseThrow(() -> Problem.conflict("The group '%s' is full.".formatted(group)));
    return Answer.json(201, PermitView.of(lease));
  }

  private Answer extend(Call call) throws Exception {
    PermitHandle handle = call.body(PermitHandle.class);
    SlotLease lease = lease(call, handle);
    return Answer.ok(
        limits()
            .extendLease(lease, lease(handle.leaseSeconds))
            .map(PermitView::of)
            .orElseThrow(() -> gone(handle)));
  }

  private Answer release(Call call) throws Exception {
    PermitHandle handle = call.body(PermitHandle.class);
    if (!limits().release(lease(call, handle))) {
      throw gone(handle);
    }
    return Answer.ok(new PermitReleased(handle.slot));
  }

  private static SlotLease lease(Call call, PermitHandle handle) {
    SlotLease lease =
        new SlotLease(call.group(handle.group), handle.slot, handle.token, "", Instant.EPOCH);
    call.subject(handle.group + " slot " + handle.slot);
    return lease;
  }

  private static Problem gone(PermitHandle handle) {
    return Problem.notFound(
        "Slot %d of '%s' is not held with this token: its lease has expired, or it was taken away."
            .formatted(handle.slot, handle.group));
  }

  private Duration lease(Double seconds) {
    if (seconds == null) {
      return limits().defaultLease();
    }
    if (!(seconds >= 1 && seconds <= LONGEST.toSeconds())) {
      throw Problem.badRequest(
          "'lease_seconds' must be from 1 to %d.".formatted(LONGEST.toSeconds()));
    }
    return SubmitRequest.seconds("lease_seconds", seconds);
  }
}
