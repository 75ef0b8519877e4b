package dev.sluice;

/** Thrown by a handler: the job cannot succeed, so no further attempt is made. */
public class PermanentFailure extends SluiceException {
  /** Says what happened, to which thing, and what to do about it. */
  public PermanentFailure(String message) {
    super(message);
  }

  /** Says what happened, with its cause. */
  public PermanentFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
