package dev.sluice.server.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sluice.server.view.LimitChangeView;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.ViewJson;
import jakarta.servlet.ServletOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Tells everybody who watches what the sampler sees. Thread-safe. */
public final class EventFeed implements Sampler.Watcher, AutoCloseable {
  /** What one can watch. */
  public static final List<String> TOPICS = List.of("state", "group", "job", "limit");

  /** How many may watch at once. */
  public static final int MOST_STREAMS = 100;

  /** How often something is sent when there is nothing to say, so that nobody hangs up. */
  public static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final Function<Snapshot, Object> stateView;
  private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
  private final AtomicLong numbers = new AtomicLong();
  private final ScheduledExecutorService heartbeat =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "sluice-server-heartbeat");
            thread.setDaemon(true);
            return thread;
          });
  private volatile boolean closed;

  /** A feed that shows a sample like this. */
  public EventFeed(Function<Snapshot, Object> stateView) {
    this.stateView = stateView;
    byte[] comment = ": keep-alive\n\n".getBytes(StandardCharsets.UTF_8);
    heartbeat.scheduleWithFixedDelay(
        () -> {
          endForbidden();
          streams.forEach(stream -> stream.offer(comment));
        },
        HEARTBEAT.toMillis(),
        HEARTBEAT.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  /**
   * What a stream needs of its connection.
   *
   * @param allowed whether who watches still may; asked every now and then
   * @param cut how the connection is cut off
   * @param ended what to do when the stream has ended
   */
  public record Hooks(BooleanSupplier allowed, Runnable cut, Runnable ended) {}

  /**
   * Checks that one more may watch; a few that ask at the same time may get in beyond the bound.
   *
   * @throws Problem if not
   */
  public void requireRoom() {
    if (closed || streams.size() >= MOST_STREAMS) {
      throw new Problem(429, "%d streams are open, the most there may be.".formatted(MOST_STREAMS))
          .header("Retry-After", "10");
    }
  }

  /** Lets somebody watch; {@code now}, if not null, is what it is told first. */
  public void watch(Set<String> topics, ServletOutputStream out, Hooks hooks, Snapshot now)
      throws IOException {
    EventStream[] self = new EventStream[1];
    EventStream stream =
        new EventStream(
            topics,
            out,
            new Hooks(
                hooks.allowed,
                hooks.cut,
                () -> {
                  streams.remove(self[0]);
                  hooks.ended.run();
                }));
    self[0] = stream;
    streams.add(stream);
    // Answers at once, even if there is nothing to tell yet.
    stream.offer("retry: 2000\n\n".getBytes(StandardCharsets.UTF_8));
    if (now != null) {
      sample(now).forEach((topic, message) -> send(stream, topic, message));
    }
    out.setWriteListener(stream);
    if (closed) {
      stream.end();
    }
  }

  /** Ends the streams of those who may not watch any more, because they have logged out, say. */
  public void endForbidden() {
    streams.stream().filter(stream -> !stream.isAllowed()).forEach(EventStream::end);
  }

  /** How many watch. */
  public int size() {
    return streams.size();
  }

  @Override
  public void onSample(Snapshot snapshot) {
    if (!streams.isEmpty()) {
      sample(snapshot).forEach(this::publish);
    }
  }

  private Map<String, byte[]> sample(Snapshot snapshot) {
    return Map.of(
        "state", message("state", stateView.apply(snapshot)),
        "group", message("group", Map.of("groups", snapshot.groups(Sampler.GROUPS))));
  }

  @Override
  public void onEvent(EventView event) {
    publish("job", event);
  }

  @Override
  public void onChange(LimitChangeView change) {
    publish("limit", change);
  }

  private void publish(String topic, Object value) {
    if (!streams.isEmpty()) {
      publish(topic, message(topic, value));
    }
  }

  private void publish(String topic, byte[] message) {
    streams.forEach(stream -> send(stream, topic, message));
  }

  private static void send(EventStream stream, String topic, byte[] message) {
    if (stream.wants(topic)) {
      stream.offer(message);
    }
  }

  private byte[] message(String topic, Object value) {
    try {
      String json = ViewJson.MAPPER.writeValueAsString(value);
      return "event: %s\nid: %d\ndata: %s\n\n"
          .formatted(topic, numbers.incrementAndGet(), json)
          .getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A view could not be written", e);
    }
  }

  /** Ends every stream; nobody is let in any more. */
  @Override
  public void close() {
    closed = true;
    heartbeat.shutdownNow();
    streams.forEach(EventStream::end);
  }
}
