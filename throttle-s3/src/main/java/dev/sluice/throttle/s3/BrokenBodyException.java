package dev.sluice.throttle.s3;

import java.io.IOException;

/** The body of an answer ended before its time. What came of it is kept, and the rest asked for. */
final class BrokenBodyException extends IOException {
  BrokenBodyException(String message, IOException cause) {
    super(message, cause);
  }
}
