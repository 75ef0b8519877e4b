package dev.sluice;

/**
 * The caller asked for something that cannot be right (a limit of -1, a payload too large): nothing
 * was changed, and asking again will not help.
 */
public class InvalidRequestException extends SluiceException {
  /** Says what happened, to which thing, and what to do about it. */
  public InvalidRequestException(String message) {
    super(message);
  }

  /** Says what happened, with its cause. */
  public InvalidRequestException(String message, Throwable cause) {
    super(message, cause);
  }
}
