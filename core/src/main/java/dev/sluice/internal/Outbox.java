package dev.sluice.internal;

import dev.sluice.spi.Exchange;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a worker has to tell the store with the next exchange. Outcomes and slots are worth an
 * exchange at once; notes (which jobs started, how far they are) wait a little for company. Guarded
 * by its {@link Tenure}.
 */
final class Outbox {
  /** How long a note waits for an outcome to travel with. */
  static final Duration NOTES_WAIT = Duration.ofMillis(200);

  /** What goes into one exchange, with the reports its outcomes were made from. */
  record Parcel(List<Report> reports, Exchange exchange) {
    boolean isEmpty() {
      return reports.isEmpty()
          && exchange.started().isEmpty()
          && exchange.progress().isEmpty()
          && exchange.released().isEmpty()
          && exchange.demand().jobs() == 0;
    }
  }

  private List<Report> reports = new ArrayList<>();
  private Set<UUID> started = new HashSet<>();
  private Map<UUID, String> progress = new HashMap<>();
  private List<HeldSlot> released = new ArrayList<>();
  private long notesSince;

  void add(Report report) {
    reports.add(report);
    // An outcome says by itself that the job had started.
    started.remove(report.id());
  }

  void started(UUID job, long now) {
    noteAt(now);
    started.add(job);
  }

  void progress(UUID job, String note, long now) {
    noteAt(now);
    progress.put(job, note);
  }

  private void noteAt(long now) {
    if (started.isEmpty() && progress.isEmpty()) {
      notesSince = now;
    }
  }

  void release(List<HeldSlot> slots) {
    released.addAll(slots);
  }

  boolean isUrgent() {
    return !reports.isEmpty() || !released.isEmpty();
  }

  boolean hasReports() {
    return !reports.isEmpty();
  }

  /** How many nanoseconds the notes may still wait; huge if there are none. */
  long untilNotesDue(long now) {
    return started.isEmpty() && progress.isEmpty()
        ? Long.MAX_VALUE
        : notesSince + NOTES_WAIT.toNanos() - now;
  }

  Parcel take(Exchange.Demand demand) {
    List<JobOutcome> outcomes = reports.stream().map(Report::outcome).toList();
    Parcel parcel =
        new Parcel(reports, new Exchange(outcomes, started, progress, released, demand));
    reports = new ArrayList<>();
    started = new HashSet<>();
    progress = new HashMap<>();
    released = new ArrayList<>();
    return parcel;
  }

  /**
   * Takes back what may not have arrived; except for slots, whose whereabouts the store will tell.
   */
  void putBack(Parcel parcel, Set<UUID> stillRunning, long now) {
    List<Report> again = new ArrayList<>(parcel.reports().stream().map(Report::onceSent).toList());
    again.addAll(reports);
    reports = again;
    parcel.exchange().started().stream()
        .filter(stillRunning::contains)
        .forEach(job -> started(job, now));
    parcel
        .exchange()
        .progress()
        .forEach(
            (job, note) -> {
              noteAt(now);
              progress.putIfAbsent(job, note);
            });
  }

  /** Takes the reports out. */
  List<Report> takeReports() {
    List<Report> taken = reports;
    reports = new ArrayList<>();
    return taken;
  }

  List<Report> reports() {
    return reports;
  }

  void forgetSlots() {
    released.clear();
  }
}
