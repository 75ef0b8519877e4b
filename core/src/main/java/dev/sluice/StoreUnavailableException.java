package dev.sluice;

/** The store cannot be reached or refused to serve just now: trying again later may help. */
public class StoreUnavailableException extends SluiceException {
  /** Says what happened, to which thing, and what to do about it. */
  public StoreUnavailableException(String message) {
    super(message);
  }

  /** Says what happened, with its cause. */
  public StoreUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
