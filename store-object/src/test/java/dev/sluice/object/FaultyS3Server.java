package dev.sluice.object;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A server on the loopback address that speaks as much of S3 as we use, keeps its promises, and
 * fails when it is told to. Its bucket is {@value #BUCKET}.
 */
public final class FaultyS3Server implements AutoCloseable {
  /** The one bucket. */
  public static final String BUCKET = "test-bucket";

  static {
    // Otherwise each small answer waits for an acknowledgement that the client delays by 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final S3Objects objects;
  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool(FaultyS3Server::daemon);
  private final Map<String, Queue<S3Fault>> faults = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> received = new ConcurrentHashMap<>();
  private final Queue<S3Request> late = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Function<String, S3Fault> plan = method -> S3Fault.NONE;
  private volatile Duration latency = Duration.ZERO;

  /** A server with an empty bucket. */
  public FaultyS3Server() {
    this(new S3Objects());
  }

  FaultyS3Server(S3Objects objects) {
    this.objects = objects;
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.setExecutor(threads);
    http.createContext("/", this::handle);
    http.start();
  }

  /** Where it listens. */
  public String endpoint() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  /** The URL of its bucket, with this prefix. */
  ObjectStoreUrl.Bucket url(String prefix) {
    return (ObjectStoreUrl.Bucket)
        ObjectStoreUrl.parse("s3://" + BUCKET + "/" + prefix + "?endpoint=" + endpoint());
  }

  /** Does these things to the next requests of this method, one each, before the plan goes on. */
  void next(String method, S3Fault... those) {
    faults.computeIfAbsent(method, m -> new ConcurrentLinkedQueue<>()).addAll(List.of(those));
  }

  /** Decides what happens to requests, by their method. */
  void plan(Function<String, S3Fault> next) {
    plan = next;
  }

  /** Lets every request take this much longer. */
  public void latency(Duration more) {
    latency = more;
  }

  /** Whether the bucket has an object below this prefix, now. */
  public boolean hasObjectBelow(String prefix) {
    return objects.hasObjectBelow(prefix);
  }

  /** How many requests of this method have come so far. */
  int received(String method) {
    return received.computeIfAbsent(method, m -> new AtomicInteger()).get();
  }

  /** Carries out the requests that were late, and says how each ended. */
  List<Integer> landLateRequests() {
    List<Integer> statuses = new ArrayList<>();
    for (S3Request request = late.poll(); request != null; request = late.poll()) {
      statuses.add(objects.carryOut(request).status());
    }
    return statuses;
  }

  @Override
  public void close() {
    closed.countDown();
    http.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      S3Request request = S3Request.of(exchange);
      received.computeIfAbsent(method, m -> new AtomicInteger()).incrementAndGet();
      // The latency is what is being simulated, and it ends early when the server is closed.
      closed.await(latency.toMillis(), TimeUnit.MILLISECONDS);
      answer(exchange, request, faultFor(method));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private S3Fault faultFor(String method) {
    S3Fault next = faults.getOrDefault(method, new ConcurrentLinkedQueue<>()).poll();
    return next == null ? plan.apply(method) : next;
  }

  private void answer(HttpExchange exchange, S3Request request, S3Fault fault)
      throws IOException, InterruptedException {
    switch (fault) {
      case NONE -> objects.carryOut(request).send(exchange);
      case SLOW_DOWN -> S3Answer.error(503, "SlowDown").send(exchange);
      case CONFLICT -> S3Answer.error(409, "ConditionalRequestConflict").send(exchange);
      case DENY -> S3Answer.error(403, "AccessDenied").send(exchange);
      case ERROR_AFTERWARDS -> {
        objects.carryOut(request);
        S3Answer.error(500, "InternalError").send(exchange);
      }
      case LOSE_REPLY -> objects.carryOut(request);
      case LATE -> late.add(request);
      case HANG -> closed.await();
      case LOSE_REQUEST -> {
        // Closing the exchange hangs up.
      }
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "faulty-s3");
    thread.setDaemon(true);
    return thread;
  }
}
