package dev.sluice.object;

import dev.sluice.StoreUnavailableException;

/**
 * A put that got no answer, or one that does not say what happened: it may have been carried out,
 * it may be carried out later, or never. Whoever owns the key reads it again and, to shut out a
 * write that is still under way, replaces the object once more.
 */
class UnknownOutcomeException extends StoreUnavailableException {
  UnknownOutcomeException(String message, Throwable cause) {
    super(message, cause);
  }
}
