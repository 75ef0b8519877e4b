package dev.sluice.throttle.s3;

import java.io.IOException;

/** What arrived is not what was sent. Nothing is left of it where it was sent to. */
public final class IntegrityException extends IOException {
  IntegrityException(String message) {
    super(message);
  }
}
