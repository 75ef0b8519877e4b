package dev.sluice;

/** The root of everything Sluice throws: catch this to catch all of it. */
public class SluiceException extends RuntimeException {
  /** Says what happened, to which thing, and what to do about it. */
  public SluiceException(String message) {
    super(message);
  }

  /** Says what happened, with its cause. */
  public SluiceException(String message, Throwable cause) {
    super(message, cause);
  }
}
