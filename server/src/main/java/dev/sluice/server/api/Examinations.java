package dev.sluice.server.api;

import dev.sluice.Diagnosis;
import dev.sluice.server.view.DiagnosisView;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest examination of the store. One takes a while: it writes to the store, times it and
 * compares much of what is in it. So nobody waits for one: who asks gets the latest, and has a new
 * one made in the background if that is old; one at a time. Thread-safe.
 */
final class Examinations {
  private static final Logger log = LoggerFactory.getLogger(Examinations.class);
  private static final Duration FRESH = Duration.ofSeconds(10);

  private final Supplier<Diagnosis> examine;
  private DiagnosisView latest = DiagnosisView.none();
  private boolean underWay;

  Examinations(Supplier<Diagnosis> examine) {
    this.examine = examine;
  }

  synchronized DiagnosisView latest() {
    boolean fresh =
        latest.examinedAt() != null && latest.examinedAt().plus(FRESH).isAfter(Instant.now());
    if (!fresh && !underWay) {
      underWay = true;
      Thread thread = new Thread(this::run, "sluice-server-doctor");
      thread.setDaemon(true);
      thread.start();
    }
    return latest;
  }

  private void run() {
    try {
      DiagnosisView found = DiagnosisView.of(examine.get(), Instant.now());
      synchronized (this) {
        latest = found;
      }
    } catch (RuntimeException e) {
      log.warn("The store could not be examined.", e);
    } finally {
      synchronized (this) {
        underWay = false;
      }
    }
  }
}
