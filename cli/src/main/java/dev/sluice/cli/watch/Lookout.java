package dev.sluice.cli.watch;

import dev.sluice.Group;
import dev.sluice.SluiceException;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.watch.TopView.Snapshot;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Looks on a thread of its own: a store that does not answer must not keep whoever watches from
 * leaving. Not thread-safe.
 */
public final class Lookout {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Function<Optional<Group>, Snapshot> view;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread created = new Thread(task, "sluice-top");
            created.setDaemon(true);
            return created;
          });
  private Future<Snapshot> looking;
  private long since;
  private boolean complained;

  /** Looks at this, given the group that is chosen. */
  public Lookout(Function<Optional<Group>, Snapshot> view) {
    this.view = view;
  }

  /** Starts to look, unless it does so already. */
  public void look(Optional<Group> selected) {
    if (looking == null) {
      since = System.nanoTime();
      complained = false;
      looking = thread.submit(() -> view.apply(selected));
    }
  }

  /** Shows what was seen meanwhile, or why there is nothing newer; whether there was any news. */
  public boolean report(TopScreen screen) throws InterruptedException {
    if (looking == null) {
      return false;
    }
    if (!looking.isDone()) {
      if (complained || System.nanoTime() - since < PATIENCE.toNanos()) {
        return false;
      }
      complained = true;
      screen.complain("The store has not answered for %s.".formatted(Durations.format(PATIENCE)));
      return true;
    }
    try {
      screen.show(looking.get());
    } catch (ExecutionException e) {
      // A store that is away for a moment ends nothing: what was seen last stays, and the reason.
      if (!(e.getCause() instanceof SluiceException)) {
        throw new IllegalStateException(e.getCause());
      }
      screen.complain(String.valueOf(e.getCause().getMessage()));
    } finally {
      looking = null;
    }
    return true;
  }

  /** Ends, and closes what was looked at; waits for that no longer than a moment. */
  public void leave(AutoCloseable store, Duration atMost) throws InterruptedException {
    Future<?> closed =
        thread.submit(
            () -> {
              store.close();
              return null;
            });
    thread.shutdown();
    try {
      closed.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // The process ends in a moment, and with it whatever was to be closed.
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
