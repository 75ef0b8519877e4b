package dev.sluice.workflow.internal;

import dev.sluice.InvalidRequestException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.NewJob;
import dev.sluice.spi.RunStore.Run;
import dev.sluice.spi.RunStore.StoredRun;
import dev.sluice.spi.RunStore.Texts;
import dev.sluice.workflow.RunState;
import dev.sluice.workflow.StepState;
import dev.sluice.workflow.TickReport;
import dev.sluice.workflow.WorkflowDefinition;
import dev.sluice.workflow.WorkflowListener;
import dev.sluice.workflow.internal.Decider.Decision;
import dev.sluice.workflow.tick.Adoption;
import dev.sluice.workflow.tick.Plan;
import dev.sluice.workflow.tick.ProgressJson;
import dev.sluice.workflow.tick.RunEdits;
import dev.sluice.workflow.tick.RunProgress;
import dev.sluice.workflow.tick.StepJobId;
import dev.sluice.workflow.tick.StepProgress.Wait;
import dev.sluice.workflow.tick.Tick;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out ticks. Each is: read the run, look at its jobs in one go (all in flight, or those
 * that were heard to have ended), decide ({@link Decider}), write the decision by compare-and-set,
 * carry it out.
 *
 * <p><b>A crash</b> before the write leaves nothing. After it, the run says which steps have
 * started; the next tick finds those without a job and submits them, under the same ids. Cancelling
 * and creating other runs are repeated by every tick until they show. So the next tick heals
 * whatever the last one left, and the run itself says by when somebody should look ({@link
 * #attention}), should nobody have a reason to.
 *
 * <p><b>Two at once</b> read the same run; one of them writes, the other reads again. Neither
 * submits anything before its write has succeeded.
 */
public final class Orchestrator {
  private static final Logger log = LoggerFactory.getLogger(Orchestrator.class);
  private static final int BATCH = 1_000;
  private static final int MANY_CONFLICTS = 3;

  /** How soon somebody should look at a run that should have moved on by itself. */
  static final Duration SOON = Duration.ofSeconds(15);

  private static final Duration AT_LAST = Duration.ofMinutes(5);

  /** How long ticks may follow each other in the thread of whoever asked for the first. */
  private static final Duration LONG = Duration.ofSeconds(1);

  private final JobStore store;
  private final RunReader reader;
  private final RunIds ids = new RunIds();
  private final Decider decider;
  private volatile Consumer<UUID> handOver;
  private final List<WorkflowListener> listeners = new CopyOnWriteArrayList<>();

  /** Works on this store. */
  public Orchestrator(JobStore store, RunReader reader, int maxPayloadBytes) {
    this.store = store;
    this.reader = reader;
    this.decider = new Decider(store, reader, ids, maxPayloadBytes);
  }

  /** Hears of every tick from here. */
  public void listen(WorkflowListener listener) {
    listeners.add(listener);
  }

  /** Creates a run; it has not begun until somebody ticks it. */
  public UUID create(Charter charter) {
    UUID id = ids.next();
    while (!create(id, charter)) {
      id = ids.next();
    }
    return id;
  }

  private boolean create(UUID id, Charter charter) {
    String text = charter.write();
    RunProgress progress = RunProgress.of(charter.definition());
    return store
        .runs()
        .create(
            written(
                id, charter.definition().type(), progress, Charter.nameOf(text), Optional.of(SOON)),
            text);
  }

  private static Run written(
      UUID id, String type, RunProgress progress, String charter, Optional<Duration> attention) {
    return new Run(
        id,
        type,
        progress.state().toString(),
        progress.isLive(),
        attention,
        new Texts(charter, ProgressJson.write(progress)));
  }

  /** Why a run is ticked. */
  enum Occasion {
    /** Something was heard of it, as happens many times a second. */
    HEARD,
    /** Somebody asked for it, or changed the run. */
    ASKED,
    /** Nobody has looked at it for long. */
    OVERDUE
  }

  /**
   * What became of a tick.
   *
   * @param effort how long it took to look and to decide; what it then had to do is not counted.
   *     Zero if it did not look
   * @param started how many steps it started
   * @param overtaken whether another tick was faster, so that this one has to come again
   * @param partial whether there are jobs that it did not look at
   */
  record Turn(Duration effort, int started, boolean overtaken, boolean partial) {
    /** Another tick came first. */
    static final Turn OVERTAKEN = new Turn(Duration.ZERO, 0, true, false);

    /** What was heard is in the run already. */
    static final Turn NO_NEWS = new Turn(Duration.ZERO, 0, false, true);
  }

  /**
   * What was heard of a run.
   *
   * @param ended the jobs that have ended
   * @param more whether there was anything else
   */
  record News(Set<UUID> ended, boolean more) {}

  /** Ticks a run until there is nothing more to do at once, and runs that this concerns. */
  public void tick(UUID run) {
    tick(run, Occasion.ASKED);
  }

  /**
   * Ticks a run that something was heard of, unless another process did so less than this long ago:
   * however many processes hear of a run, they share the effort of looking.
   *
   * @param news what was heard. If it is no more than jobs whose ends the run already counts, the
   *     tick ends there
   */
  Turn tickUnlessWithin(Duration pause, UUID run, News news) {
    long from = System.nanoTime();
    Optional<StoredRun> stored = store.runs().get(run);
    if (stored.isPresent()
        && Duration.between(stored.get().updatedAt(), stored.get().readAt()).compareTo(pause) < 0) {
      return Turn.OVERTAKEN;
    }
    Optional<LoadedRun> loaded = stored.flatMap(reader::load);
    if (!news.more() && loaded.isPresent() && !decider.isNew(loaded.get(), news.ended())) {
      return Turn.NO_NEWS;
    }
    return tick(run, course -> course.follow(from, loaded), Occasion.HEARD, news.ended());
  }

  /** Ticks a run, and runs that this concerns. */
  void tick(UUID run, Occasion occasion) {
    tick(run, Course::follow, occasion, Set.of());
  }

  private Turn tick(UUID first, Predicate<Course> follow, Occasion occasion, Set<UUID> ended) {
    Deque<UUID> concerned = new ArrayDeque<>();
    Consumer<UUID> others = handOver == null ? concerned::add : handOver;
    Course course = new Course(first, occasion, ended, others);
    boolean arrived = follow.test(course);
    while (!concerned.isEmpty()) {
      new Course(concerned.poll(), Occasion.ASKED, Set.of(), others).follow();
    }
    return new Turn(course.effort, course.started, !arrived, course.partial);
  }

  /** From now on, runs that a tick concerns or that take long are left to somebody else here. */
  void handOverTo(Consumer<UUID> somebody) {
    handOver = somebody;
  }

  /** Ticks of one run that follow each other at once. */
  private final class Course {
    private final UUID run;
    private final Occasion why;
    private final Set<UUID> ended;
    private final Consumer<UUID> others;
    private final long began = System.nanoTime();
    private final Decider.Memory memory = new Decider.Memory();
    private Duration effort = Duration.ZERO;
    private int started;
    private boolean cancelled;
    private boolean partial;

    Course(UUID run, Occasion why, Set<UUID> ended, Consumer<UUID> others) {
      this.run = run;
      this.why = why;
      this.ended = ended;
      this.others = others;
    }

    /** Whether nothing more is to be done at once; false if it gave way to another tick. */
    boolean follow() {
      return follow(System.nanoTime(), reader.get(run));
    }

    /**
     * The same, where the run has been read.
     *
     * @param beginning when reading it began
     */
    boolean follow(long beginning, Optional<LoadedRun> first) {
      boolean again = true;
      long from = beginning;
      Optional<LoadedRun> loaded = first;
      for (int conflicts = 0; again; from = System.nanoTime(), loaded = reader.get(run)) {
        if (loaded.filter(found -> found.progress().isLive()).isEmpty()) {
          return true;
        }
        Optional<Decision> decision = decideAndWrite(loaded.get());
        effort = effort.plusNanos(System.nanoTime() - from);
        if (decision.isPresent()) {
          conflicts = 0;
          started += decision.get().plan().figures().started();
          partial = decision.get().look().partial();
          again = carryOut(loaded.get(), decision.get());
          report(loaded.get(), decision.get(), Duration.ofNanos(System.nanoTime() - from));
        } else if (why == Occasion.HEARD) {
          return false;
        } else {
          memory.clear();
          backOff(++conflicts);
        }
        if (again && handOver != null && System.nanoTime() - began > LONG.toNanos()) {
          handOver.accept(run);
          return true;
        }
      }
      return true;
    }

    /** Whether another tick should follow at once. */
    private boolean carryOut(LoadedRun loaded, Decision decision) {
      Plan plan = decision.plan();
      boolean refused = submit(decision.jobs());
      batches(plan.cancel())
          .forEach(jobs -> store.jobs().cancelAll(jobs.stream().map(StepJobId::id).toList()));
      decision
          .runs()
          .forEach(
              (id, charter) -> {
                create(id, charter);
                others.accept(id);
              });
      for (UUID child : plan.children().cancel()) {
        edit(child, Orchestrator::mayBeCancelled, found -> RunEdits.cancel(found.progress()));
        others.accept(child);
      }
      if (!plan.next().isLive()) {
        loaded.charter().parent().ifPresent(others);
      }
      boolean calledOff = !plan.cancel().isEmpty();
      if (calledOff) {
        memory.clear();
      }
      // Jobs that had not started are cancelled by now, and nobody else will hear of it.
      boolean again = plan.figures().again() || refused || (calledOff && !cancelled);
      cancelled |= calledOff;
      return again;
    }

    /** Whether the store refused any, which no other tick has to find out again. */
    private boolean submit(List<NewJob> jobs) {
      return batches(jobs).mapToInt(this::submitTogether).sum() > 0;
    }

    private int submitTogether(List<NewJob> jobs) {
      try {
        store.submit(jobs);
        jobs.forEach(job -> memory.submitted(job.identity().id()));
        return 0;
      } catch (InvalidRequestException e) {
        if (jobs.size() > 1) {
          // One that is wrong does not keep the others.
          return jobs.stream().mapToInt(job -> submitTogether(List.of(job))).sum();
        }
        return memory.refused(jobs.get(0).identity().id(), e.getMessage()) ? 1 : 0;
      }
    }

    /** What a tick has to do now that it is written down; empty if another tick was faster. */
    private Optional<Decision> decideAndWrite(LoadedRun before) {
      Optional<Set<UUID>> heard = why == Occasion.HEARD ? Optional.of(ended) : Optional.empty();
      Decision decision = decider.decide(before, heard, memory);
      RunProgress next = decision.plan().next();
      boolean changed = !next.equals(before.progress());
      if (changed || why == Occasion.OVERDUE) {
        RunProgress seen = changed ? next : next.quiet();
        RunProgress written =
            decision.look().healed()
                ? seen.fullyLookedAt(before.stored().readAt().toEpochMilli())
                : seen;
        Run document =
            written(
                before.id(),
                before.stored().run().type(),
                written,
                before.stored().run().texts().charter(),
                attention(before, written, decision.plan()));
        if (!store.runs().replace(document, before.stored().version(), Optional.empty())) {
          return Optional.empty();
        }
      }
      return Optional.of(decision);
    }
  }

  /** Lets a run that cannot be ticked want attention later, as it is, so that others get some. */
  void postpone(UUID run) {
    store
        .runs()
        .get(run)
        .ifPresent(
            found -> {
              Run old = found.run();
              Run later =
                  new Run(
                      old.id(),
                      old.type(),
                      old.state(),
                      old.live(),
                      Optional.of(AT_LAST),
                      old.texts());
              store.runs().replace(later, found.version(), Optional.empty());
            });
  }

  private static <T> Stream<List<T>> batches(List<T> all) {
    return IntStream.iterate(0, from -> from < all.size(), from -> from + BATCH)
        .mapToObj(from -> all.subList(from, Math.min(all.size(), from + BATCH)));
  }

  private static boolean mayBeCancelled(LoadedRun run) {
    return run.progress().isLive() && run.progress().ending() != RunProgress.Ending.COMPENSATE;
  }

  /**
   * By when somebody should look if nothing happens: soon if something is under way, and less soon
   * the longer it takes; when a timer is due; not at all if only people can move the run on.
   */
  private Optional<Duration> attention(LoadedRun run, RunProgress next, Plan plan) {
    if (!next.isLive()) {
      return Optional.empty();
    }
    boolean busy =
        plan.figures().inFlight() > 0
            || plan.figures().again()
            || !plan.submit().isEmpty()
            || next.notes().undo().running()
            || !Tick.children(next).isEmpty();
    if (busy) {
      Duration wait = SOON.multipliedBy(1L << Math.min(next.notes().looks().quiet(), 10));
      return Optional.of(wait.compareTo(AT_LAST) < 0 ? wait : AT_LAST);
    }
    long now = run.stored().readAt().toEpochMilli();
    return next.steps().stream()
        .filter(step -> step.state() == StepState.RUNNING && step.extra() instanceof Wait)
        .map(step -> ((Wait) step.extra()).due())
        .min(Long::compare)
        .map(due -> Duration.ofMillis(Math.max(0, due - now)).plus(SOON));
  }

  /**
   * Changes a run, if it may be changed.
   *
   * @param which whether the run is one this is about
   * @param change what to make of it
   * @return whether there was such a run
   */
  public boolean edit(
      UUID run, Function<LoadedRun, Boolean> which, Function<LoadedRun, RunProgress> change) {
    for (int conflicts = 0; ; backOff(++conflicts)) {
      Optional<LoadedRun> loaded = reader.get(run).filter(which::apply);
      if (loaded.isEmpty()) {
        return false;
      }
      RunProgress next = change.apply(loaded.get());
      if (next.equals(loaded.get().progress()) || replace(loaded.get(), next, Optional.empty())) {
        return true;
      }
    }
  }

  private boolean replace(LoadedRun run, RunProgress next, Optional<Charter> charter) {
    Optional<String> text = charter.map(Charter::write);
    Run document =
        written(
            run.id(),
            run.stored().run().type(),
            next,
            text.map(Charter::nameOf).orElse(run.stored().run().texts().charter()),
            next.isLive() ? Optional.of(SOON) : Optional.empty());
    return store.runs().replace(document, run.stored().version(), text);
  }

  /**
   * Takes a run over to another definition of its type, or pauses it with a message that names the
   * step that is in the way.
   */
  public void adopt(UUID run, WorkflowDefinition definition, List<WorkflowDefinition> children) {
    for (int conflicts = 0; ; backOff(++conflicts)) {
      Optional<LoadedRun> loaded = reader.get(run).filter(found -> found.progress().isLive());
      if (loaded.isEmpty()) {
        return;
      }
      LoadedRun old = loaded.get();
      WorkflowDefinition before = old.charter().definition();
      if (before.hash().equals(definition.hash()) || before.version() > definition.version()) {
        return;
      }
      Optional<String> obstacle = Adoption.obstacle(before, definition, old.progress());
      boolean paused = old.progress().state() == RunState.PAUSED;
      if (obstacle.isPresent() && (paused || old.progress().ending() != RunProgress.Ending.NONE)) {
        return;
      }
      boolean done =
          obstacle.isPresent()
              ? replace(old, RunEdits.pause(old.progress(), obstacle), Optional.empty())
              : replace(
                  old,
                  Adoption.adopt(before, definition, old.progress()),
                  Optional.of(old.charter().with(definition, children)));
      if (done) {
        return;
      }
    }
  }

  private void report(LoadedRun run, Decision decision, Duration took) {
    Plan.Figures figures = decision.plan().figures();
    TickReport report =
        new TickReport(
            run.id(),
            run.stored().run().type(),
            decision.plan().next().state(),
            took,
            new TickReport.Work(
                figures.inFlight(), figures.started(), figures.deferred(), decision.look().jobs()));
    for (WorkflowListener listener : listeners) {
      try {
        listener.onTick(report);
      } catch (RuntimeException e) {
        log.warn("The listener {} failed; that changes nothing else.", listener, e);
      }
    }
  }

  /** Those who met once should not meet again. */
  private static void backOff(int conflicts) {
    if (conflicts < MANY_CONFLICTS) {
      return;
    }
    try {
      Thread.sleep(ThreadLocalRandom.current().nextInt(1, 5 * Math.min(conflicts, 20)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("Interrupted while a run was being changed.", e);
    }
  }
}
