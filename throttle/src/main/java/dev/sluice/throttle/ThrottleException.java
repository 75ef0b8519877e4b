package dev.sluice.throttle;

/** What goes wrong with a throttle itself, rather than with the work under it. */
public class ThrottleException extends RuntimeException {
  ThrottleException(String message) {
    super(message);
  }
}
