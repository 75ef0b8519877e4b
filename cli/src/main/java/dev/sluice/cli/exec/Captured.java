package dev.sluice.cli.exec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * What a command prints on one stream: its first or its last bytes are kept, the rest is read and
 * forgotten, so that a talkative command neither blocks nor fills the memory. Thread-safe.
 */
final class Captured {
  private final boolean keepHead;
  private final byte[] kept;
  private final Thread reader;
  private long total;

  private Captured(InputStream in, boolean keepHead, int limit, String name) {
    this.keepHead = keepHead;
    this.kept = new byte[limit];
    this.reader = new Thread(() -> drain(in), name);
    reader.setDaemon(true);
    reader.start();
  }

  static Captured head(InputStream in, int limit) {
    return new Captured(in, true, limit, "sluice-exec-stdout");
  }

  static Captured tail(InputStream in, int limit) {
    return new Captured(in, false, limit, "sluice-exec-stderr");
  }

  private void drain(InputStream in) {
    byte[] buffer = new byte[8192];
    try (in) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        keep(buffer, read);
      }
    } catch (IOException e) {
      // The stream was closed under us because the command has ended; what came is what there is.
    }
  }

  private synchronized void keep(byte[] buffer, int length) {
    for (int i = 0; i < length; i++, total++) {
      if (total < kept.length || !keepHead) {
        kept[(int) (total % kept.length)] = buffer[i];
      }
    }
  }

  /** Waits for the stream's end, but not for ever: a process that escaped may hold it open. */
  void awaitEnd(Duration atMost) throws InterruptedException {
    reader.join(atMost.toMillis());
  }

  /** How many bytes came, kept or not. */
  synchronized long total() {
    return total;
  }

  /** Whether more came than was kept. */
  synchronized boolean truncated() {
    return total > kept.length;
  }

  /** What was kept, as UTF-8 text; what cannot be stored as JSON text is replaced. */
  synchronized String text() {
    byte[] bytes;
    if (total <= kept.length) {
      bytes = Arrays.copyOf(kept, (int) total);
    } else if (keepHead) {
      bytes = kept;
    } else {
      int start = (int) (total % kept.length);
      bytes = Arrays.copyOfRange(kept, start, start + kept.length);
      System.arraycopy(kept, 0, bytes, kept.length - start, start);
    }
    return new String(bytes, StandardCharsets.UTF_8).replace('\0', '\uFFFD').stripTrailing();
  }
}
