package dev.sluice;

/** No slot of the group became free within the time the caller was willing to wait. */
public class LimitReachedException extends SluiceException {
  /** Says what happened, to which thing, and what to do about it. */
  public LimitReachedException(String message) {
    super(message);
  }

  /** Says what happened, with its cause. */
  public LimitReachedException(String message, Throwable cause) {
    super(message, cause);
  }
}
