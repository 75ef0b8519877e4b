package dev.sluice.internal;

import java.time.Duration;
import java.util.Optional;

/** Something a worker does every now and then, besides running jobs. */
interface Chore extends Runnable {
  /** What it does, for the log: "Removing old finished jobs". */
  String what();

  /** How long to wait between two runs, give or take a fifth. */
  Duration interval();

  /** When to run again, to the point, if that is sooner. */
  default Optional<Duration> soon() {
    return Optional.empty();
  }
}
