package dev.sluice.server.live;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * One who watches. Nobody waits for it: what it is to be told goes into a bounded queue and from
 * there to the connection as fast as that takes it, without a thread. One that reads too slowly is
 * cut off; it can come back and starts from the present.
 *
 * <p>Between {@code isReady() == false} and the next {@link #onWritePossible} the stream must not
 * be touched; {@code writable} says on which side of that it is.
 */
final class EventStream implements WriteListener {
  static final int MOST_PENDING_BYTES = 1 << 20;

  private final Set<String> topics;
  private final ServletOutputStream out;
  private final EventFeed.Hooks hooks;
  private final Deque<byte[]> pending = new ArrayDeque<>();
  private int pendingBytes;
  private boolean writable;
  private boolean unflushed;
  private boolean over;

  /** A stream; that it has ended is told once, when nothing more will be written. */
  EventStream(Set<String> topics, ServletOutputStream out, EventFeed.Hooks hooks) {
    this.topics = topics;
    this.out = out;
    this.hooks = hooks;
  }

  boolean isAllowed() {
    return hooks.allowed().getAsBoolean();
  }

  boolean wants(String topic) {
    return topics.contains(topic);
  }

  /** Adds a message; false if there is no room for it, and the stream was cut off. */
  boolean offer(byte[] message) {
    synchronized (this) {
      if (over) {
        return false;
      }
      // One that has read everything gets the next, whatever its size.
      if (pending.isEmpty() || pendingBytes + message.length <= MOST_PENDING_BYTES) {
        pending.add(message);
        pendingBytes += message.length;
        pump();
        return !over;
      }
    }
    hooks.cut().run();
    end();
    return false;
  }

  /** Ends the stream in an orderly way. */
  void end() {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      pending.clear();
    }
    hooks.ended().run();
  }

  @Override
  public void onWritePossible() {
    synchronized (this) {
      writable = true;
      pump();
    }
  }

  @Override
  public void onError(Throwable failure) {
    end();
  }

  private void pump() {
    try {
      while (writable && !over) {
        if (!out.isReady()) {
          writable = false;
        } else if (!pending.isEmpty()) {
          byte[] message = pending.remove();
          pendingBytes -= message.length;
          out.write(message);
          unflushed = true;
        } else if (unflushed) {
          out.flush();
          unflushed = false;
        } else {
          return;
        }
      }
    } catch (IOException | IllegalStateException e) {
      end();
    }
  }
}
