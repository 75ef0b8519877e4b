package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.ControlObject.Version;
import dev.sluice.object.Doubts.Doubt;
import dev.sluice.object.Inbox.Found;
import dev.sluice.object.SegmentCache.SegmentGoneException;
import dev.sluice.object.state.Admission;
import dev.sluice.object.state.JobDocuments;
import dev.sluice.object.state.Segment;
import dev.sluice.object.state.SegmentKeys;
import dev.sluice.object.state.ShardDraft;
import dev.sluice.object.state.ShardState;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of the control object in this process: gathers the steps of everyone who wants
 * something and puts them into one compare-and-set.
 *
 * <pre>
 *   steps ──▶ draft on the latest state known ──▶ put if unchanged ─── stored ──▶ answers
 *                 ▲    │ somebody wants more             │ lost: read, again
 *                 │    ▼                                 │ unknown: read; our nonce is in it ──▶ answers
 *                 │  list the inbox, admit               │          else again, with a commit for certain
 *                 └──────────────────────────────────────┘
 * </pre>
 *
 * <p><b>Why an answer is true.</b> A draft begins with the latest state this process knows, which
 * may be old. If the draft changes anything, the compare-and-set fails on an old state, and the
 * steps run again on the new one. If it changes nothing, its answers are given only after the state
 * was read anew. So every answer is one of a state that was the latest when it was given, and what
 * was handed out is what was committed.
 *
 * <p><b>A put without an answer</b> may have happened, may happen later, or never. The state is
 * read: its list of recent nonces says whether ours is among them. If not, and the state is still
 * the one we began with, the put may yet arrive; then a commit follows even if it has nothing to
 * say. It takes the tag away that the late put waits for, or finds that the late put was first. As
 * long as that has not succeeded, it is owed ({@link #barrierOwed}), and no answer is given without
 * it: a claim that lands after its worker reconciled would be a job that nobody runs. And whatever
 * a state is read for while a put is in doubt, it is asked first whether that put is in it ({@link
 * Doubts}): steps that have happened must not happen again.
 *
 * <p><b>A segment that is gone</b> was dropped and deleted after the state was read that refers to
 * it. Steps may need segments, and so may sealing the draft, which is done before anything is put:
 * in either case the state is read anew, and the draft is made again.
 *
 * <p><b>A damaged object</b> stops the steps that need it. They are told so, and the draft is made
 * again without them, for as long as no put of this batch is in doubt.
 *
 * <p><b>Crash at any line</b>: before the put, nothing happened. After it, the claims of a dead
 * process are those of dead workers. A segment of returning jobs is put before the commit that
 * refers to it; if that commit never happens, nothing refers to it, and it is swept.
 */
final class Committer {
  private static final Logger log = LoggerFactory.getLogger(Committer.class);
  private static final int MANY_ENDED = 256;
  private static final Duration ARCHIVE_PAUSE = Duration.ofMillis(100);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(2);
  private static final Duration LONGEST_BACKOFF = Duration.ofMillis(200);

  private final ObjectStore store;
  private final StoreEnvironment environment;
  private final Parts parts;
  private final Gathering<Ticket<?>> tickets;
  private volatile Version latest;

  // Used by the committing thread only.
  private boolean barrierOwed;
  private List<Found> inbox;
  private final Map<String, SegmentGoneException> missing = new HashMap<>();

  /** What a commit needs besides the store. */
  record Parts(
      ControlObject control,
      SegmentCache segments,
      Inbox inbox,
      JobArchive archive,
      StoreClock clock,
      LocalWaker waker,
      Consumer<Committed> afterCommit) {
    /** What the archive has, as of this draft. */
    Admission.ArchivedIds archivedIds(ShardDraft draft) {
      return (ids, since) -> archive.findAll(ids, draft.archiveNext(), since).keySet();
    }
  }

  /**
   * A commit that happened.
   *
   * @param before the state it followed
   * @param state the state it made
   * @param dropped keys of segments that nobody needs any more
   */
  record Committed(ShardState before, ShardState state, List<String> dropped) {}

  /**
   * A part of a commit. May run several times; only what it did last counts. A request it refuses
   * (other than because of the store) must not have changed anything yet.
   */
  @FunctionalInterface
  interface Step<T> {
    T apply(ShardDraft draft);
  }

  private static final class Ticket<T> {
    final Step<T> step;
    final Predicate<T> wantsMore;
    final CompletableFuture<T> future = new CompletableFuture<>();
    T answer;
    RuntimeException failure;

    Ticket(Step<T> step, Predicate<T> wantsMore) {
      this.step = step;
      this.wantsMore = wantsMore;
    }

    void run(ShardDraft draft) {
      answer = null;
      failure = null;
      try {
        answer = step.apply(draft);
      } catch (StoreUnavailableException | StoreIncompatibleException e) {
        // It may have done half of what it had to do: then nothing of this draft is committed.
        throw e;
      } catch (SluiceException e) {
        failure = e;
      }
    }

    boolean wantsMore() {
      return failure == null && wantsMore.test(answer);
    }

    Runnable delivery() {
      T given = answer;
      RuntimeException thrown = failure;
      return () -> {
        if (thrown == null) {
          future.complete(given);
        } else {
          future.completeExceptionally(thrown);
        }
      };
    }
  }

  /**
   * Part of a draft needs an object that is damaged: the draft is made again without that part.
   *
   * @see DamagedObjects
   */
  private static final class Obstacle extends RuntimeException {
    final transient StoreIncompatibleException damage;
    final transient Object part;

    Obstacle(StoreIncompatibleException damage, Object part) {
      super(damage.getMessage(), damage, false, false);
      this.damage = damage;
      this.part = part;
    }
  }

  Committer(ObjectStore store, StoreEnvironment environment, Parts parts) {
    this.store = store;
    this.environment = environment;
    this.parts = parts;
    this.tickets =
        new Gathering<>(environment.commits(), Gathering::all, this::run, ticket -> ticket.future);
  }

  /** The latest state known here, which may be old; null before the first. */
  Version latest() {
    return latest;
  }

  /** Takes note of a state that was read elsewhere. */
  synchronized void saw(Version version) {
    if (version.isNewerThan(latest)) {
      latest = version;
      forgetSegments(version.state());
      if (version.state().edition().version() > 0) {
        parts.clock.isAtLeast(version.state().edition().time());
      }
    }
  }

  /** Segments that other processes have dropped. */
  private void forgetSegments(ShardState state) {
    if (parts.segments.isLargerThan(state.jobs().segments().size())) {
      parts.segments.forgetAllBut(state.segmentKeys().collect(Collectors.toSet()));
    }
  }

  /**
   * Reads the segments of the latest state known here, as a claim does that looks at all of them.
   */
  void fetchAdmitted() {
    Version known = latest;
    if (known != null) {
      parts.segments.fetch(known.state().segmentKeys());
    }
  }

  /**
   * Reads the segments in the inbox that any process may admit, as a draft does that admits them.
   */
  void fetchSubmitted(List<Found> found) {
    ShardState known = latest == null ? ShardState.EMPTY : latest.state();
    parts.segments.fetch(
        found.stream()
            .filter(each -> isForAll(each) && !known.isDoneWith(each.name()))
            .map(Found::key));
  }

  /** The state as it is now. */
  ShardState read() {
    return load().state();
  }

  /** Makes this step part of a commit, and waits for it. */
  <T> T commit(Step<T> step) {
    return commit(step, answer -> false);
  }

  /**
   * The same; if the answer leaves something to be desired, the inbox is looked through for new
   * segments first.
   */
  <T> T commit(Step<T> step, Predicate<T> wantsMore) {
    Ticket<T> ticket = new Ticket<>(step, wantsMore);
    tickets.add(ticket);
    try {
      return environment.await().result(ticket.future);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownOutcomeException(
          "Interrupted while a commit was under way; whether it happens is not known.", e);
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  static RuntimeException rethrown(Throwable cause) {
    if (cause instanceof UnknownOutcomeException e) {
      return new UnknownOutcomeException(e.getMessage(), e);
    }
    if (cause instanceof StoreUnavailableException e) {
      return new StoreUnavailableException(e.getMessage(), e);
    }
    return cause instanceof RuntimeException e
        ? e
        : new IllegalStateException("A commit failed", cause);
  }

  /** Makes this step part of the next commit, whenever that is; nobody waits for it. */
  void commitSometime(Step<Boolean> step) {
    tickets.addSometime(new Ticket<>(step, answer -> false));
  }

  private void run(List<Ticket<?>> batch) {
    Doubts doubts = new Doubts();
    missing.clear();
    Version base = latest;
    boolean fresh = base == null;
    if (fresh) {
      base = load();
    }
    inbox = null;
    for (int round = 0; ; ) {
      SegmentGoneException gone = null;
      Optional<Committed> committed = Optional.empty();
      List<Runnable> deliveries = List.of();
      try {
        ShardDraft draft = draft(base, batch);
        if (inbox == null && batch.stream().anyMatch(Ticket::wantsMore)) {
          inbox = parts.inbox.list();
          fetchSubmitted(inbox);
          sweep(base.state());
          continue;
        }
        deliveries = batch.stream().<Runnable>map(Ticket::delivery).toList();
        if (draft.isChanged() || barrierOwed) {
          committed = put(base, draft, deliveries, doubts);
          if (committed.isEmpty()) {
            backOff(round++);
          }
        } else if (fresh) {
          deliveries.forEach(Runnable::run);
          return;
        }
      } catch (SegmentGoneException e) {
        gone = e;
      } catch (Obstacle e) {
        if (!doubts.isEmpty()) {
          throw e.damage;
        }
        batch = setAside(e, batch);
        if (batch.isEmpty() && !barrierOwed) {
          return;
        }
        continue;
      }
      if (committed.isPresent()) {
        deliveries.forEach(Runnable::run);
        parts.afterCommit.accept(committed.get());
        return;
      }
      String before = base.tag();
      base = load();
      fresh = true;
      if (!base.tag().equals(before)) {
        // Whatever was on its way waited for a tag that is gone.
        barrierOwed = false;
      }
      Optional<Doubt> landed = doubts.landedIn(base.state());
      if (landed.isPresent()) {
        landed.get().deliveries().forEach(Runnable::run);
        parts.afterCommit.accept(new Committed(landed.get().before(), base.state(), List.of()));
        return;
      }
      if (gone != null) {
        note(gone, base.state());
      }
    }
  }

  /**
   * Puts the draft in place of the state it follows; empty if it did not happen, or may not have.
   */
  private Optional<Committed> put(
      Version base, ShardDraft draft, List<Runnable> deliveries, Doubts doubts) {
    String nonce = environment.nonce();
    try {
      Optional<Version> stored = replace(base, draft, nonce);
      if (stored.isPresent()) {
        barrierOwed = false;
        saw(stored.get());
      }
      return stored.map(made -> new Committed(base.state(), made.state(), draft.dropped()));
    } catch (UnknownOutcomeException e) {
      barrierOwed = true;
      doubts.add(new Doubt(draft.version(), nonce, base.state(), deliveries));
      return Optional.empty();
    }
  }

  /** Takes note of a segment that was not there, given a state that was read after that. */
  private void note(SegmentGoneException gone, ShardState now) {
    if (parts.segments.isMissingIf(gone, now)) {
      missing.put(gone.key(), gone);
    } else if (inbox != null) {
      inbox = inbox.stream().filter(found -> !found.key().equals(gone.key())).toList();
    }
  }

  /** Segments, except those this batch has found missing: for it they are damaged. */
  private Segment segment(String key) {
    SegmentGoneException gone = missing.get(key);
    if (gone != null) {
      throw gone.asDamage();
    }
    return parts.segments.get(key);
  }

  private Version load() {
    Version version = parts.control.load();
    saw(version);
    return version;
  }

  private ShardDraft draft(Version base, List<Ticket<?>> batch) {
    ShardDraft draft =
        new ShardDraft(base.state(), this::segment, parts.clock.now(), parts.clock.latest());
    for (Found found : inbox == null ? List.<Found>of() : inbox) {
      orObstacle(found, () -> admit(draft, found, parts));
    }
    batch.forEach(ticket -> orObstacle(ticket, () -> ticket.run(draft)));
    draft.freeze(MANY_ENDED, ARCHIVE_PAUSE.toNanos() / 1_000);
    return draft;
  }

  private static void orObstacle(Object part, Runnable step) {
    try {
      step.run();
    } catch (StoreIncompatibleException e) {
      throw new Obstacle(e, part);
    }
  }

  /** Those of the batch that go on; whoever cannot is told why. */
  private List<Ticket<?>> setAside(Obstacle obstacle, List<Ticket<?>> batch) {
    if (obstacle.part instanceof Ticket<?> ticket) {
      ticket.future.completeExceptionally(obstacle.damage);
    } else {
      inbox = inbox.stream().filter(found -> found != obstacle.part).toList();
    }
    return batch.stream().<Ticket<?>>filter(ticket -> ticket != obstacle.part).toList();
  }

  /**
   * Admits what was found in the inbox and nobody has taken in yet.
   *
   * @return what is wrong with a segment that had to be left out, if there is one
   */
  static Optional<StoreIncompatibleException> admitAll(
      ShardDraft draft, List<Found> inbox, Parts parts) {
    StoreIncompatibleException damage = null;
    for (Found found : inbox) {
      damage = admit(draft, found, parts).orElse(damage);
    }
    return Optional.ofNullable(damage);
  }

  /** Whether any process may admit it, and not its submitter alone. */
  private static boolean isForAll(Found found) {
    return !found.name().guarded() || found.abandoned();
  }

  private static Optional<StoreIncompatibleException> admit(
      ShardDraft draft, Found found, Parts parts) {
    if (!isForAll(found) || draft.isAdmitted(found.key()) || draft.isDoneWith(found.name())) {
      return Optional.empty();
    }
    Segment segment;
    try {
      segment = parts.segments.get(found.key());
    } catch (StoreIncompatibleException e) {
      // It stays where it is until somebody mends or removes it.
      return Optional.of(e);
    }
    Admission.admit(draft, segment, parts.archivedIds(draft));
    return Optional.empty();
  }

  /**
   * Deletes copies of segments that arrived when the segment was done with: by a state that was
   * committed, not by one that may never be.
   */
  private void sweep(ShardState committed) {
    List<String> late =
        inbox.stream().filter(f -> committed.isDoneWith(f.name())).map(Found::key).toList();
    if (!late.isEmpty()) {
      environment.chores().execute(() -> delete(late));
    }
  }

  private void delete(List<String> unneeded) {
    try {
      store.deleteAll(unneeded);
    } catch (SluiceException e) {
      log.debug("Segments that nothing refers to are left for a later look to delete.", e);
    }
  }

  private Optional<Version> replace(Version base, ShardDraft draft, String nonce) {
    Segment returns =
        draft.returning().isEmpty()
            ? null
            : new Segment(SegmentKeys.returned(draft.version(), nonce), draft.returning());
    // Before anything is put: it may need segments that are gone, if the state is old.
    ShardState next = draft.seal(nonce, returns);
    if (returns != null) {
      byte[] body = JobDocuments.writeSegment(returns.jobs(), nonce);
      if (!(store.putIfAbsent(returns.key(), ObjectBody.withToken(body, nonce))
          instanceof PutResult.Stored)) {
        // Refused, so nothing may refer to it: again, under another name.
        return Optional.empty();
      }
      parts.segments.put(returns);
    }
    Optional<Version> stored = parts.control.replace(base, next);
    if (stored.isEmpty() && returns != null) {
      // The commit that would have referred to it can never happen any more.
      List<String> orphan = List.of(returns.key());
      parts.segments.forget(orphan);
      environment.chores().execute(() -> delete(orphan));
    }
    return stored;
  }

  /** Those who met once should not meet again. */
  private void backOff(int round) {
    if (round == 0) {
      return;
    }
    long longest =
        Math.min(LONGEST_BACKOFF.toNanos(), FIRST_BACKOFF.toNanos() << Math.min(round, 10));
    try {
      environment.pause().forNanos((long) (longest * environment.random().nextDouble()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownOutcomeException(
          "Interrupted while a commit was under way; whether it happens is not known.", e);
    }
  }

  /** Carries out what nobody waits for, if there is anything. */
  void finish() {
    if (tickets.hasAny()) {
      commit(draft -> true);
    }
  }
}
