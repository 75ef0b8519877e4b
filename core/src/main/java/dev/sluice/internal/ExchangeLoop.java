package dev.sluice.internal;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.sluice.InvalidRequestException;
import dev.sluice.LeaseLostException;
import dev.sluice.internal.Outbox.Parcel;
import dev.sluice.spi.Exchange.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a worker that exchanges outcomes for jobs.
 *
 * <p>Each turn takes everything there is to say, and what could be taken on, to the store in one
 * round trip. What happens meanwhile makes up the next turn, so batches grow with the load by
 * themselves and nothing ever waits for a batch to fill. A turn follows at once when the last one
 * brought all that was asked for (there may be more) or left something to say; otherwise the loop
 * waits for the bell (a handler returned, the store calls) or the next poll.
 *
 * <p>When an exchange fails, it may have happened or not. The loop then first reconciles: it tells
 * the store which claims it knows of (running, or ended and not yet acknowledged), the store takes
 * back all others and says what is held, and the outcomes are sent again. A job claimed by the lost
 * answer is thus ready again at once; an outcome recorded by it is not recorded twice. It
 * reconciles too when the store refuses an outcome although the lease lives: then the two disagree
 * on what the worker holds. The refused outcome is dropped before that, so one disagreement is one
 * reconcile.
 *
 * <p>When the store cannot take something down ({@link InvalidRequestException}), the outcomes of
 * that exchange are sent again one by one. The one that is refused even so is replaced by a failure
 * that says why; should that be refused as well, the job stays claimed until the worker ends: in
 * line it would run again at once, and for ever. One that the store defers meanwhile waits until
 * all of them have been sent. So one outcome never keeps the others, nor the worker, from going on.
 *
 * <p>When the lease is lost the loop opens a new session and goes on. The old one is closed once
 * the last of its handlers has returned, never before: closing frees its slots.
 */
final class ExchangeLoop implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(ExchangeLoop.class);

  /** Waiting less than this for the next due job would be spinning. */
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

  /** How often the worker says what it has, so that an audit can find what it does not know of. */
  private static final Duration ATTEST_INTERVAL = Duration.ofMinutes(1);

  private final Workshop workshop;
  private final WorkerEnvironment environment;
  private final SessionOpener opener;
  private final HandlerPool handlers;
  private final AtomicReference<Tenure> current;
  private final List<Tenure> retired = new ArrayList<>();
  private final Herald herald;
  private final Backoff backoff;
  private final Refusals refusals = new Refusals();
  private final OutageLog outage = new OutageLog(log, "Exchanging jobs with the store");

  private volatile boolean stopping;
  private volatile boolean abandoned;
  private boolean unsure;
  private long attestAt;

  /** How many reports, the first there are, are to be sent one by one: one of them was refused. */
  private int suspects;

  private boolean again = true;
  private long wait;

  /** Signs on; whatever prevents that is thrown. */
  ExchangeLoop(Workshop workshop) {
    this.workshop = workshop;
    this.environment = workshop.environment();
    this.opener = new SessionOpener(workshop);
    this.current = new AtomicReference<>(opener.open());
    this.handlers = new HandlerPool(workshop, current::get);
    this.herald = new Herald(workshop, current::get);
    this.backoff = new Backoff(environment);
    this.attestAt = nextAttest();
  }

  Tenure current() {
    return current.get();
  }

  /** Says how the worker fares, until the loop has ended. */
  Herald herald() {
    return herald;
  }

  /** Claims and starts nothing more; the loop ends when what runs has ended and been reported. */
  void stop() {
    stopping = true;
    current.get().beginClosing();
    workshop.bell().ring();
  }

  /** Ends the loop even if the store cannot be told of the last outcomes. */
  void abandon() {
    abandoned = true;
    workshop.bell().ring();
  }

  @Override
  public void run() {
    try {
      while (!abandoned && goOn()) {
        closeRetired();
        workshop.announcer().flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closeRetired();
      if (current.get().nothingRuns()) {
        if (!abandoned) {
          herald.lastWords();
        }
        current.get().signOff();
      }
      handlers.close();
      workshop.announcer().close();
    }
  }

  /** One turn; false when the worker's work is done. */
  private boolean goOn() throws InterruptedException {
    Tenure tenure = current.get();
    try {
      if (tenure.over()) {
        return !stopping && signOnAgain(tenure);
      }
      if (unsure) {
        reconcile(tenure);
      }
      if (tenure.finished()) {
        return false;
      }
      boolean called = workshop.bell().await(again ? 0 : wait);
      tenure.declare();
      Parcel parcel = nextParcel(tenure);
      if (again && !called && parcel.isEmpty()) {
        again = false;
      } else if (!tenure.over()) {
        exchange(tenure, parcel);
      }
      attestIfDue(tenure);
      backoff.reset();
      outage.worked();
    } catch (LeaseLostException e) {
      tenure.fence("the store says so");
    } catch (RuntimeException | Error e) {
      // Errors too: a worker that renews its lease but exchanges nothing would be worse than none.
      unsure = true;
      outage.failed(e);
      backoff.pause();
    }
    return true;
  }

  /** Nothing is under way between two exchanges, so what the worker has is all it should have. */
  private void attestIfDue(Tenure tenure) {
    if (!unsure && !tenure.over() && environment.now() - attestAt >= 0) {
      attestAt = nextAttest();
      tenure.attest();
      workshop.pointers().refresh();
    }
  }

  private long nextAttest() {
    return environment.now() + environment.jittered(ATTEST_INTERVAL.toNanos());
  }

  private Parcel nextParcel(Tenure tenure) {
    Parcel suspect = suspects > 0 ? tenure.prepareFirst() : null;
    if (suspect != null && !suspect.reports().isEmpty()) {
      return suspect;
    }
    suspects = 0;
    return tenure.prepare();
  }

  private boolean signOnAgain(Tenure lost) {
    Tenure next = opener.open();
    retired.add(lost);
    current.set(next);
    if (stopping) {
      next.beginClosing();
    }
    unsure = false;
    suspects = 0;
    again = true;
    return true;
  }

  private void exchange(Tenure tenure, Parcel parcel) {
    Answer answer;
    long sentAt = environment.now();
    try {
      answer = tenure.session().exchange(parcel.exchange());
    } catch (InvalidRequestException e) {
      unsure = true;
      if (parcel.reports().isEmpty()) {
        tenure.putBack(parcel);
        throw e;
      }
      isolate(tenure, parcel, e);
      return;
    } catch (RuntimeException e) {
      unsure = true;
      tenure.putBack(parcel);
      throw e;
    }
    suspects = Math.max(0, suspects - 1);
    announce(parcel.exchange().demand().jobs(), answer, environment.now() - sentAt);
    settle(tenure, parcel.reports(), answer);
    long poll = environment.jittered(NANOSECONDS.convert(environment.settings().timing().poll()));
    long due = answer.nextDue().map(NANOSECONDS::convert).orElse(poll);
    wait = Math.max(SHORTEST_WAIT.toNanos(), Math.min(poll, due));
    if (answer.stale()) {
      unsure = true;
      reconcile(tenure);
      return;
    }
    handlers.start(tenure.receive(answer));
    int asked = parcel.exchange().demand().jobs();
    again = (asked > 0 && answer.jobs().size() >= asked) || suspects > 0 || tenure.hasNews();
  }

  /** The store refused what is in this parcel: finds out which outcome it was, and replaces it. */
  private void isolate(Tenure tenure, Parcel parcel, InvalidRequestException refusal) {
    again = true;
    if (suspects == 0) {
      suspects = parcel.reports().size();
      tenure.putBack(parcel);
      return;
    }
    Report refused = parcel.reports().get(0);
    if (refused.saysThatItWasRefused()) {
      log.error(
          "The store records no end of {}: {} The job is put off for {}. Look for what the store objects to in this job.",
          refused.attempt(),
          refusal.getMessage(),
          Durations.format(Report.PUT_OFF));
      tenure.reportFirst(refused.putOff());
      return;
    }
    if (refused.isPutOff()) {
      suspects--;
      tenure.giveUp(refused);
      log.error(
          "The store takes no outcome of {}: {} The job stays on record as running until this worker ends, and is then run again. Look for what the store objects to in this job.",
          refused.attempt(),
          refusal.getMessage());
      return;
    }
    log.error(
        "The store refused the outcome of {} ({}); the job fails. {}",
        refused.attempt(),
        refused.outcome().verdict().getClass().getSimpleName(),
        refusal.getMessage());
    tenure.reportFirst(refused.refusedBy(refusal));
  }

  private void announce(int asked, Answer answer, long nanos) {
    if (asked > 0 && !answer.stale()) {
      workshop.announcer().claimed(answer.jobs().size(), Duration.ofNanos(nanos));
    }
    refusals.news(answer).forEach(workshop.announcer()::rejected);
  }

  private void reconcile(Tenure tenure) {
    Map<UUID, Long> known = tenure.known();
    List<Report> gone = tenure.adopt(tenure.session().reconcile(known));
    for (Report report : gone) {
      if (report.sent()) {
        // The exchange that failed had happened after all: nobody else can end a leased job.
        workshop.announcer().accepted(report);
      } else {
        refused(report);
      }
    }
    workshop.pointers().refresh();
    unsure = false;
    again = true;
  }

  private void settle(Tenure tenure, List<Report> reports, Answer answer) {
    for (Report report : reports) {
      if (answer.cancelled().contains(report.id())) {
        workshop.announcer().accepted(report.recordedAsCancelled());
      } else if (answer.accepted().contains(report.id())) {
        workshop.announcer().accepted(report);
      } else if (answer.deferred().contains(report.id())) {
        tenure.defer(report);
      } else {
        refused(report);
        unsure = true;
      }
    }
  }

  private static void refused(Report report) {
    log.warn(
        "The outcome of {} ({}) came too late and changed nothing.",
        report.attempt(),
        report.outcome().verdict().getClass().getSimpleName());
  }

  private void closeRetired() {
    retired.removeIf(
        tenure -> {
          boolean done = tenure.nothingRuns();
          if (done) {
            tenure.signOff();
          }
          return done;
        });
  }
}
