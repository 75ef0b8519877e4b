package dev.sluice.object;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Time and threads of a simulation. Time is a number that jumps from one event to the next; of all
 * threads exactly one runs, until it waits for something.
 *
 * <p>There is no scheduler. A thread that waits takes the next events from the queue itself: it
 * carries out what is to be done, and when an event is another thread's turn to go on, it wakes
 * that thread and sleeps. If the turn is its own, it just goes on, which is the common case and
 * costs nothing. So what happens, and in which order, follows from the queue alone, and never from
 * how the machine runs its threads.
 */
final class SimulatedThreads {
  private static final ExecutorService CARRIERS =
      Executors.newCachedThreadPool(
          body -> {
            Thread thread = new Thread(body, "simulated");
            thread.setDaemon(true);
            return thread;
          });

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Set<Strand> strands = new LinkedHashSet<>();
  private final Consumer<Throwable> failures;
  private final Runnable afterEvent;
  private final Strand director;
  private Strand current;
  private long now;
  private long sequence;

  /** What threads belong to: they die and freeze with it. */
  interface Host {
    boolean isDead();

    /** Until when nothing of it goes on. */
    long frozenUntil();

    /** How long after that the next of its threads goes on, in any order. */
    long stagger();
  }

  /** The host of a thread is gone, and the thread with it. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash() {
      super("crashed", null, false, false);
    }
  }

  /** What happens at a moment: something is carried out, or a thread goes on. */
  private record Event(long at, long number, Runnable action, Strand strand)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int order = Long.compare(at, other.at);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  private static final class Strand {
    final Host host;
    volatile Thread carrier;
    volatile boolean turn;
    boolean scheduled;
    boolean ended;

    Strand(Host host) {
      this.host = host;
    }
  }

  /**
   * Time that begins now, for the calling thread, which takes turns with those it starts.
   *
   * @param failures hears what threads and events throw
   * @param afterEvent runs after everything that happens
   */
  SimulatedThreads(Consumer<Throwable> failures, Runnable afterEvent) {
    this.failures = failures;
    this.afterEvent = afterEvent;
    this.director =
        new Strand(
            new Host() {
              @Override
              public boolean isDead() {
                return false;
              }

              @Override
              public long frozenUntil() {
                return 0;
              }

              @Override
              public long stagger() {
                return 0;
              }
            });
    director.carrier = Thread.currentThread();
    current = director;
  }

  /** What time it is, in nanoseconds. */
  long now() {
    return now;
  }

  /** How many threads have not ended. */
  int alive() {
    return strands.size();
  }

  /** Does this after a while. */
  void after(long nanos, Runnable action) {
    events.add(new Event(now + nanos, sequence++, action, null));
  }

  /** Starts a thread after a while. */
  void start(Host host, long nanos, Runnable body) {
    Strand strand = new Strand(host);
    strands.add(strand);
    CARRIERS.execute(
        () -> {
          strand.carrier = Thread.currentThread();
          awaitTurn(strand);
          try {
            if (!host.isDead()) {
              body.run();
            }
          } catch (RuntimeException | Error e) {
            if (!host.isDead()) {
              failures.accept(e);
            }
          } finally {
            strand.ended = true;
            strands.remove(strand);
            hand(next());
          }
        });
    wake(strand, nanos);
  }

  /** Lets time pass for the thread that runs. */
  void sleep(long nanos) {
    wake(current, nanos);
    pause();
  }

  /** Waits for a result. */
  <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
    if (!future.isDone()) {
      Strand waiting = current;
      future.whenComplete((result, failure) -> wake(waiting, 0));
      pause();
    }
    return future.get();
  }

  /** Lets every thread of this host go on, so that it finds out. */
  void wakeAll(Host host) {
    List<Strand> all = new ArrayList<>(strands);
    all.stream().filter(strand -> strand.host == host).forEach(strand -> wake(strand, 0));
  }

  private void wake(Strand strand, long nanos) {
    if (!strand.scheduled) {
      strand.scheduled = true;
      events.add(new Event(now + nanos, sequence++, null, strand));
    }
  }

  private void pause() {
    Strand me = current;
    Strand next = next();
    if (next != me) {
      hand(next);
      awaitTurn(me);
    }
    current = me;
    if (me.host.isDead()) {
      throw new Crash();
    }
  }

  private static void hand(Strand next) {
    next.turn = true;
    LockSupport.unpark(next.carrier);
  }

  private static void awaitTurn(Strand me) {
    while (!me.turn) {
      LockSupport.park(me);
    }
    me.turn = false;
  }

  /** Lets things happen until it is a thread's turn; then that thread. */
  private Strand next() {
    while (true) {
      Event event = events.poll();
      if (event == null) {
        failures.accept(new IllegalStateException("Everybody waits, and nothing is to happen"));
        return director;
      }
      now = event.at;
      if (event.action == null) {
        Strand strand = event.strand;
        strand.scheduled = false;
        if (strand.ended) {
          continue;
        }
        if (strand.host.isDead() || strand.host.frozenUntil() <= now) {
          current = strand;
          return strand;
        }
        wake(strand, strand.host.frozenUntil() - now + strand.host.stagger());
      } else {
        try {
          event.action.run();
          afterEvent.run();
        } catch (RuntimeException | Error e) {
          failures.accept(e);
        }
      }
    }
  }
}
