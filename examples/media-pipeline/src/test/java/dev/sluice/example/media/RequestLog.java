package dev.sluice.example.media;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What an origin was asked for, and how many fragments of each video at once. The first fragments
 * of a video are held back until so many are asked for, so that it is no matter of luck whether
 * requests meet; who asks for one after the other gets them all the same, after a while.
 */
final class RequestLog extends Filter {
  private static final long PATIENCE_SECONDS = 20;

  private final int together;
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final Map<String, Fragments> videos = new ConcurrentHashMap<>();

  private final class Fragments {
    private final CountDownLatch gate = new CountDownLatch(together);
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
  }

  RequestLog(int together) {
    this.together = together;
  }

  /** Every path, in the order of arrival. */
  List<String> paths() {
    return paths;
  }

  /** How many fragments of a video were asked for at once, at most. */
  int peak(String video) {
    return videos.get(video).peak.get();
  }

  @Override
  public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
    String path = exchange.getRequestURI().getPath();
    paths.add(path);
    if (!path.contains("chunk-")) {
      chain.doFilter(exchange);
      return;
    }
    Fragments fragments = videos.computeIfAbsent(path.split("/")[1], video -> new Fragments());
    fragments.peak.accumulateAndGet(fragments.inFlight.incrementAndGet(), Math::max);
    try {
      fragments.gate.countDown();
      fragments.gate.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the origin closes
    } finally {
      fragments.inFlight.decrementAndGet();
    }
    chain.doFilter(exchange);
  }

  @Override
  public String description() {
    return "notes requests";
  }
}
