package dev.sluice.cli;

import dev.sluice.SluiceException;

/** The address to listen on cannot be had. */
final class AddressTakenException extends SluiceException {
  private static final long serialVersionUID = 1;

  AddressTakenException(String message, Throwable cause) {
    super(message, cause);
  }
}
