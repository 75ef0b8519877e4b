package dev.sluice;

import java.util.Locale;

/** Where a job is in its life. */
public enum JobState {
  /** Not due yet: submitted for later, or between two attempts. */
  SCHEDULED,
  /** Due, and free to start as soon as a worker has room. */
  READY,
  /** Due, but a limited group it belongs to is full; derived when asked. */
  WAITING,
  /** A handler is at work on it. */
  RUNNING,
  /** Done. */
  SUCCEEDED,
  /** Given up: attempts exhausted or a permanent failure. */
  FAILED,
  /** Called off. */
  CANCELLED;

  /** Whether the job will not change any more (unless it is retried by hand). */
  public boolean finished() {
    return this == SUCCEEDED || this == FAILED || this == CANCELLED;
  }

  /** The word used in columns, on the command line and in JSON. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
