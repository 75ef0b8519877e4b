package dev.sluice.internal;

import dev.sluice.SluiceException;
import org.slf4j.Logger;

/** Says once that something fails, and once that it works again, however often it is tried. */
final class OutageLog {
  private final Logger log;
  private final String what;
  private boolean failing;

  /** Logs about {@code what}: "Exchanging with the store". */
  OutageLog(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  synchronized void failed(Throwable cause) {
    if (!failing) {
      failing = true;
      if (cause instanceof SluiceException) {
        // Its message names the thing and the remedy; where it was thrown helps nobody.
        log.warn("{} fails; trying again until it works. {}", what, cause.getMessage());
        log.debug("{} fails.", what, cause);
      } else {
        log.warn("{} fails; trying again until it works.", what, cause);
      }
    } else {
      log.debug("{} still fails.", what, cause);
    }
  }

  synchronized void worked() {
    if (failing) {
      failing = false;
      log.info("{} works again.", what);
    }
  }
}
