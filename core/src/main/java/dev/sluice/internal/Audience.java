package dev.sluice.internal;

import dev.sluice.WorkerListener;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listeners, told on the calling thread; what one of them throws is logged and otherwise ignored.
 * Immutable.
 *
 * @param <L> what they can hear
 */
public final class Audience<L extends WorkerListener> {
  private static final Logger log = LoggerFactory.getLogger(Audience.class);

  private final List<L> listeners;

  public Audience(List<L> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  boolean isEmpty() {
    return listeners.isEmpty();
  }

  void tell(Consumer<? super L> message) {
    for (L listener : listeners) {
      try {
        message.accept(listener);
      } catch (RuntimeException | LinkageError | AssertionError e) {
        log.warn("The listener {} failed; that changes nothing else.", listener, e);
      }
    }
  }
}
