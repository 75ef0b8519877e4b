package dev.sluice;

/**
 * The store was found but cannot be used by this version of Sluice or with these credentials: an
 * operator has to act.
 */
public class StoreIncompatibleException extends SluiceException {
  /** Says what happened, to which thing, and what to do about it. */
  public StoreIncompatibleException(String message) {
    super(message);
  }

  /** Says what happened, with its cause. */
  public StoreIncompatibleException(String message, Throwable cause) {
    super(message, cause);
  }
}
