package dev.sluice.throttle;

import java.time.Duration;

/**
 * Hears what goes through a throttle, on the thread it goes through on. It should be quick; what it
 * throws is logged, and changes nothing.
 */
public interface ThrottleListener {
  /** A label is used for the first time, or was in use when this listener was added. */
  default void onLabel(Throttle throttle, String label) {}

  /** Work starts, after it waited so long. */
  default void onStart(Throttle throttle, String label, Duration waited) {}

  /** Work ended, after it ran so long. */
  default void onEnd(Throttle throttle, String label, Duration ran, boolean succeeded) {}
}
