package dev.sluice.internal;

import dev.sluice.spi.Exchange;
import dev.sluice.spi.HeldSlot;
import dev.sluice.spi.JobOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What a worker has to tell the store with the next exchange. Outcomes and slots are worth an
 * exchange at once. Progress waits a little for company. That a job has started is told only when
 * it has not ended again within a moment: for most buffered jobs, which are short, the outcome says
 * it all. Guarded by its {@link Tenure}.
 */
final class Outbox {
  /** How long a progress note waits for an outcome to travel with. */
  static final Duration PROGRESS_WAIT = Duration.ofMillis(200);

  /** How long a job must have run before its start is told. */
  static final Duration START_WAIT = Duration.ofMillis(50);

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
  private List<Report> deferred = new ArrayList<>();
  private final Map<UUID, Long> started = new LinkedHashMap<>();
  private Map<UUID, String> progress = new HashMap<>();
  private List<HeldSlot> released = new ArrayList<>();
  private final Map<UUID, Long> unrecordable = new HashMap<>();
  private long progressSince;

  void add(Report report) {
    reports.add(report);
    started.remove(report.id());
  }

  /** Sends a report once more, with the next exchange, whenever that is. */
  void defer(Report report) {
    deferred.add(report.onceSent());
  }

  /** Keeps the claim of a job of which the store records no end: it must not start again. */
  void giveUp(Report report) {
    unrecordable.put(report.id(), report.outcome().token());
  }

  void started(UUID job, long now) {
    started.put(job, now);
  }

  void progress(UUID job, String note, long now) {
    if (progress.isEmpty()) {
      progressSince = now;
    }
    progress.put(job, note);
  }

  void release(List<HeldSlot> slots) {
    released.addAll(slots);
  }

  boolean isUrgent() {
    return !reports.isEmpty() || !released.isEmpty();
  }

  boolean hasReports() {
    return !reports.isEmpty() || !deferred.isEmpty();
  }

  /** Whether starts or progress have waited long enough. */
  boolean notesDue(long now) {
    return (!progress.isEmpty() && now - progressSince >= PROGRESS_WAIT.toNanos())
        || (!started.isEmpty() && startDue(started.values().iterator().next(), now));
  }

  private static boolean startDue(long since, long now) {
    return now - since >= START_WAIT.toNanos();
  }

  Parcel take(Exchange.Demand demand, long now) {
    List<Report> told = takeReports();
    List<JobOutcome> outcomes = told.stream().map(Report::outcome).toList();
    Exchange exchange = new Exchange(outcomes, takeStarted(now), progress, released, demand);
    Parcel parcel = new Parcel(told, exchange);
    progress = new HashMap<>();
    released = new ArrayList<>();
    return parcel;
  }

  /**
   * The first report by itself, with nothing beside it; empty if there is none. Deferred ones stay:
   * the store could read them, and another try would only be deferred again.
   */
  Parcel takeFirst() {
    List<Report> first = reports.isEmpty() ? List.of() : List.of(reports.remove(0));
    List<JobOutcome> outcomes = first.stream().map(Report::outcome).toList();
    return new Parcel(
        first, new Exchange(outcomes, Set.of(), Map.of(), List.of(), Exchange.Demand.NONE));
  }

  /** Sends a report before all others. */
  void addFirst(Report report) {
    reports.add(0, report);
  }

  /** The oldest come first. */
  private Set<UUID> takeStarted(long now) {
    Set<UUID> due = new HashSet<>();
    for (Iterator<Map.Entry<UUID, Long>> all = started.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<UUID, Long> next = all.next();
      if (!startDue(next.getValue(), now)) {
        break;
      }
      due.add(next.getKey());
      all.remove();
    }
    return due;
  }

  /**
   * Takes back what may not have arrived; except for slots, whose whereabouts the store will tell.
   */
  void putBack(Parcel parcel, Set<UUID> stillRunning, long now) {
    List<Report> again = new ArrayList<>(parcel.reports().stream().map(Report::onceSent).toList());
    again.addAll(reports);
    reports = again;
    Exchange exchange = parcel.exchange();
    exchange.started().stream()
        .filter(stillRunning::contains)
        .forEach(job -> started.put(job, now));
    Map<UUID, String> newer = progress;
    progress = new HashMap<>();
    exchange.progress().forEach((job, note) -> progress(job, note, now));
    newer.forEach((job, note) -> progress(job, note, now));
  }

  /** Takes the reports of other jobs than these out; the others keep their place. */
  List<Report> takeOthers(Set<UUID> jobs) {
    List<Report> taken = new ArrayList<>();
    for (List<Report> from : List.of(deferred, reports)) {
      from.stream().filter(report -> !jobs.contains(report.id())).forEach(taken::add);
      from.removeIf(report -> !jobs.contains(report.id()));
    }
    return taken;
  }

  /** Takes the reports out, deferred ones first. */
  private List<Report> takeReports() {
    List<Report> taken = deferred;
    taken.addAll(reports);
    deferred = new ArrayList<>();
    reports = new ArrayList<>();
    return taken;
  }

  /** The claims that have ended and are not known to be recorded: token by job. */
  Map<UUID, Long> reported() {
    Map<UUID, Long> claims = new HashMap<>(unrecordable);
    reports.forEach(report -> claims.put(report.id(), report.outcome().token()));
    deferred.forEach(report -> claims.put(report.id(), report.outcome().token()));
    return claims;
  }

  /** The slots on their way back. */
  List<HeldSlot> released() {
    return List.copyOf(released);
  }

  void forgetSlots() {
    released.clear();
  }

  void clear() {
    reports.clear();
    deferred.clear();
    started.clear();
    progress.clear();
    released.clear();
    unrecordable.clear();
  }
}
