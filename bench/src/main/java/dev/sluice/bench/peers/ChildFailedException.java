package dev.sluice.bench.peers;

import java.io.IOException;

/** A child process did not do what it was started for. */
final class ChildFailedException extends IOException {
  ChildFailedException(String message) {
    super(message);
  }
}
