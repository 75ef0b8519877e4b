package dev.sluice.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventStreamTest {
  /** A connection that takes something only while the test lets it. */
  private static final class Connection extends ServletOutputStream {
    final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    boolean ready = true;

    @Override
    public boolean isReady() {
      return ready;
    }

    @Override
    public void setWriteListener(WriteListener listener) {}

    @Override
    public void write(int b) {
      sent.write(b);
    }

    @Override
    public void write(byte[] bytes) {
      sent.writeBytes(bytes);
    }
  }

  private final Connection connection = new Connection();
  private final AtomicInteger cuts = new AtomicInteger();
  private final AtomicInteger ends = new AtomicInteger();
  private final EventStream stream =
      new EventStream(
          Set.of("state"),
          connection,
          new EventFeed.Hooks(() -> true, cuts::incrementAndGet, ends::incrementAndGet));

  @Test
  void offer_largerThanTheBoundToOneWhoReads_isSent() {
    stream.onWritePossible();

    assertThat(stream.offer(new byte[3 * EventStream.MOST_PENDING_BYTES])).isTrue();
    assertThat(stream.offer(new byte[1])).isTrue();
    assertThat(connection.sent.size()).isEqualTo(3 * EventStream.MOST_PENDING_BYTES + 1);
    assertThat(cuts).hasValue(0);
  }

  @Test
  void offer_toOneWhoDoesNotRead_isCutOffAtTheBoundAndEndsOnce() {
    connection.ready = false;
    stream.onWritePossible();

    assertThat(stream.offer(new byte[EventStream.MOST_PENDING_BYTES])).isTrue();
    assertThat(stream.offer(new byte[1])).isFalse();
    stream.end();

    assertThat(cuts).hasValue(1);
    assertThat(ends).hasValue(1);
    assertThat(connection.sent.size()).isZero();
  }
}
