package dev.sluice.throttle;

import java.time.Duration;

/** There was no room in a throttle for as long as the caller would wait; the work did not start. */
public final class ThrottleTimeoutException extends ThrottleException {
  ThrottleTimeoutException(Throttle throttle, String label, Duration waited) {
    super(
        "No room for '%s' in throttle '%s' within %s: its limit is %d. Wait longer, raise the limit, or ask less of it."
            .formatted(label, throttle.name(), waited, throttle.limit()));
  }
}
