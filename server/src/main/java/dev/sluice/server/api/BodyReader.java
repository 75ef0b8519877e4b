package dev.sluice.server.api;

import dev.sluice.server.view.Problem;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects a body as it comes, without a thread that waits for it: however many clients begin a
 * body and do not go on, everybody else is served.
 */
final class BodyReader implements ReadListener {
  /** Nothing may come for so long, and after so long what has come must keep to the rate. */
  static final Duration GRACE = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(BodyReader.class);
  private static final int BYTES_PER_SECOND = 2_048;
  private static final int BUFFER_BYTES = 8_192;

  private final ServletInputStream in;
  private final int mostBytes;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
  private final long begun = System.nanoTime();

  BodyReader(ServletInputStream in, int mostBytes) {
    this.in = in;
    this.mostBytes = mostBytes;
  }

  /** All of it; fails with a {@link Problem}. */
  CompletableFuture<byte[]> whole() {
    return whole;
  }

  @Override
  public void onDataAvailable() throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    while (!whole.isDone() && in.isReady() && !in.isFinished()) {
      int read = in.read(buffer);
      if (read < 0) {
        return;
      }
      bytes.write(buffer, 0, read);
      if (bytes.size() > mostBytes) {
        whole.completeExceptionally(tooLarge(mostBytes));
      } else if (isTooSlow()) {
        whole.completeExceptionally(tooSlow());
      }
    }
  }

  private boolean isTooSlow() {
    long over = System.nanoTime() - begun - GRACE.toNanos();
    return over > 0 && bytes.size() < over / 1e9 * BYTES_PER_SECOND;
  }

  @Override
  public void onAllDataRead() {
    whole.complete(bytes.toByteArray());
  }

  @Override
  public void onError(Throwable failure) {
    log.debug("A body did not come to its end.", failure);
    whole.completeExceptionally(
        failure instanceof TimeoutException || failure.getCause() instanceof TimeoutException
            ? tooSlow()
            : Problem.badRequest("The body did not come to its end.")
                .header("Connection", "close"));
  }

  private static Problem tooSlow() {
    return new Problem(408, "The body comes too slowly.").header("Connection", "close");
  }

  static Problem tooLarge(int mostBytes) {
    return new Problem(413, "The body is larger than the %,d bytes allowed.".formatted(mostBytes))
        .header("Connection", "close");
  }
}
