package dev.sluice.throttle;

/** As many wait for a throttle as it lets wait; the work did not start. */
public final class ThrottleFullException extends ThrottleException {
  ThrottleFullException(Throttle throttle, String label, int maxWaiting) {
    super(
        "'%s' is turned away: %d wait for throttle '%s' already, and no more may. Its limit is %d. Try later, raise the limit, or let more wait."
            .formatted(label, maxWaiting, throttle.name(), throttle.limit()));
  }
}
