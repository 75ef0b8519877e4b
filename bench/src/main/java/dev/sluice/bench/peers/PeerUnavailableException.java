package dev.sluice.bench.peers;

import dev.sluice.SluiceException;

/** A peer cannot be measured on this machine as it is. */
final class PeerUnavailableException extends SluiceException {
  PeerUnavailableException(String message) {
    super(message);
  }

  PeerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
