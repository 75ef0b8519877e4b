package dev.sluice;

/**
 * The lease under which the caller acted is gone, and its place may have been taken: whatever it
 * guarded must stop.
 */
public class LeaseLostException extends SluiceException {
  /** Says what happened, to which thing, and what to do about it. */
  public LeaseLostException(String message) {
    super(message);
  }

  /** Says what happened, with its cause. */
  public LeaseLostException(String message, Throwable cause) {
    super(message, cause);
  }
}
