package dev.sluice.server.api;

import dev.sluice.server.security.Role;
import dev.sluice.server.view.Problem;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.eclipse.jetty.io.EndPoint;

/**
 * Has the bodies of requests collected, within bounds: who need not say who they are can send
 * little, and of the others only so many at once, because what has come is kept in memory.
 * Thread-safe.
 */
final class Bodies {
  private static final int MOST_BYTES_OF_ANYBODY = 2_048;
  private static final int MOST_AT_ONCE = 100;

  private final int mostBytes;
  private final AtomicInteger underWay = new AtomicInteger();

  /** For bodies up to so many bytes. */
  Bodies(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  /**
   * Collects the body, then goes on with it or with why there is none, on whatever thread brought
   * the last of it.
   *
   * @throws Problem if it is refused unread
   */
  void collect(Context context, Role role, BiConsumer<byte[], Throwable> then) {
    requireJson(context);
    int most = role == Role.OPEN ? Math.min(mostBytes, MOST_BYTES_OF_ANYBODY) : mostBytes;
    if (context.req().getContentLengthLong() > most) {
      throw BodyReader.tooLarge(most);
    }
    if (role != Role.OPEN && underWay.incrementAndGet() > MOST_AT_ONCE) {
      underWay.decrementAndGet();
      throw new Problem(503, "Too many bodies are being sent at once; try again.")
          .header("Retry-After", "1")
          .header("Connection", "close");
    }
    context.future(
        () ->
            read(context, most)
                .handle(
                    (bytes, failure) -> {
                      if (role != Role.OPEN) {
                        underWay.decrementAndGet();
                      }
                      then.accept(bytes, failure);
                      return null;
                    }));
  }

  private static void requireJson(Context context) {
    String contentType = String.valueOf(context.contentType()).toLowerCase(Locale.ROOT);
    if (!contentType.split(";", 2)[0].strip().equals(Reply.JSON)) {
      throw new Problem(415, "Send JSON, with the header 'Content-Type: application/json'.");
    }
  }

  private static CompletableFuture<byte[]> read(Context context, int most) {
    try {
      BodyReader reader = new BodyReader(context.req().getInputStream(), most);
      EndPoint connection = Connections.of(context.req());
      long usual = connection.getIdleTimeout();
      connection.setIdleTimeout(BodyReader.GRACE.toMillis());
      CompletableFuture<byte[]> whole =
          reader.whole().whenComplete((bytes, failure) -> connection.setIdleTimeout(usual));
      context.req().getInputStream().setReadListener(reader);
      return whole;
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
