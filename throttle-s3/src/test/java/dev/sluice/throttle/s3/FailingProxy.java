package dev.sluice.throttle.s3;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A proxy on the loopback address, in front of an S3 server: slow, failing when it is told to, and
 * counting how many parts are under way. A part counts from its request's head until the client can
 * know that it is over: the count goes down before the last byte of the answer, or before the
 * connection is closed, so a client that keeps to its limit is never seen above it.
 */
final class FailingProxy implements AutoCloseable {
  private static final int CHUNK = 1 << 16;

  private final URI backend;
  private final ServerSocket server;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Queue<ProxiedRequest> requests = new ConcurrentLinkedQueue<>();
  private final AtomicInteger parts = new AtomicInteger();
  private final AtomicInteger mostParts = new AtomicInteger();
  private final AtomicInteger faults = new AtomicInteger();
  private volatile Function<ProxiedRequest, ProxyFault> plan = request -> ProxyFault.NONE;
  private volatile long latencyNanos;
  private volatile long nanosPerChunk;

  FailingProxy(URI backend) throws IOException {
    this.backend = backend;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("failing-proxy", this::accept);
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  /** Decides what happens to each request. */
  void plan(Function<ProxiedRequest, ProxyFault> next) {
    plan = next;
  }

  /** Takes its time with every request, and lets no connection carry more than that. */
  void slow(java.time.Duration latency, long bytesPerSecond) {
    latencyNanos = latency.toNanos();
    nanosPerChunk = CHUNK * 1_000_000_000L / bytesPerSecond;
  }

  /** Everything that came, in order. */
  List<ProxiedRequest> requests() {
    return List.copyOf(requests);
  }

  /** The most parts that were under way at once. */
  int mostParts() {
    return mostParts.get();
  }

  /** How many requests were made to fail. */
  int faults() {
    return faults.get();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept() throws IOException {
    while (!server.isClosed()) {
      Socket client = server.accept();
      start("failing-proxy-connection", () -> serve(client));
    }
  }

  /** One request after the other, as they come over a connection, until somebody hangs up. */
  private void serve(Socket client) throws IOException {
    open.add(client);
    try (client;
        Socket upstream = new Socket(backend.getHost(), backend.getPort())) {
      open.add(upstream);
      client.setTcpNoDelay(true);
      upstream.setTcpNoDelay(true);
      InputStream fromClient = new BufferedInputStream(client.getInputStream(), CHUNK);
      InputStream fromServer = new BufferedInputStream(upstream.getInputStream(), CHUNK);
      Exchange exchange;
      do {
        exchange =
            new Exchange(
                fromClient, client.getOutputStream(), fromServer, upstream.getOutputStream());
      } while (exchange.run());
      open.remove(upstream);
    } finally {
      open.remove(client);
    }
  }

  /** A request and its answer. */
  private final class Exchange {
    private final InputStream fromClient;
    private final OutputStream toClient;
    private final InputStream fromServer;
    private final OutputStream toServer;
    private boolean counted;

    Exchange(
        InputStream fromClient,
        OutputStream toClient,
        InputStream fromServer,
        OutputStream toServer) {
      this.fromClient = fromClient;
      this.toClient = toClient;
      this.fromServer = fromServer;
      this.toServer = toServer;
    }

    /** False if the connection is to be closed. */
    boolean run() throws IOException {
      String head = head(fromClient);
      if (head.isEmpty()) {
        return false;
      }
      ProxiedRequest request = ProxiedRequest.parse(head);
      requests.add(request);
      try {
        if (request.isPart()) {
          counted = true;
          mostParts.accumulateAndGet(parts.incrementAndGet(), Math::max);
        }
        pause(latencyNanos);
        ProxyFault fault = plan.apply(request);
        if (fault != ProxyFault.NONE) {
          faults.incrementAndGet();
        }
        return carryOut(head, request, fault);
      } finally {
        over();
      }
    }

    private boolean carryOut(String head, ProxiedRequest request, ProxyFault fault)
        throws IOException {
      switch (fault) {
        case SLOW_DOWN -> {
          return refuse(request, "503 Slow Down", "SlowDown", "Retry-After: 1\r\n");
        }
        case ERROR -> {
          return refuse(request, "500 Oops", "InternalError", "");
        }
        case ERROR_IN_BODY -> {
          return refuse(request, "200 OK", "InternalError", "");
        }
        case DENY -> {
          return refuse(request, "403 Forbidden", "AccessDenied", "");
        }
        case BREAK_REQUEST -> {
          toServer.write(bytes(head));
          copy(fromClient, toServer, request.length() / 2, false);
          return false;
        }
        default -> {
          toServer.write(bytes(head));
          copy(fromClient, toServer, request.length(), false);
          toServer.flush();
          return answer(request, fault);
        }
      }
    }

    private boolean answer(ProxiedRequest request, ProxyFault fault) throws IOException {
      String head = head(fromServer);
      if (fault == ProxyFault.LOSE_REPLY || head.isEmpty()) {
        return false;
      }
      ProxiedRequest parsed = ProxiedRequest.parse(head);
      if (parsed.headers().containsKey("transfer-encoding")) {
        throw new IllegalStateException("This proxy passes no chunked answers on: ask directly.");
      }
      long length = request.method().equals("HEAD") ? 0 : parsed.length();
      if (length == 0) {
        over();
      }
      toClient.write(bytes(head));
      boolean broken = fault == ProxyFault.BREAK_REPLY;
      copy(fromServer, toClient, broken ? length / 2 : length, true);
      toClient.flush();
      return !broken;
    }

    private boolean refuse(ProxiedRequest request, String status, String code, String header)
        throws IOException {
      copy(fromClient, OutputStream.nullOutputStream(), request.length(), false);
      String body = "<Error><Code>%s</Code><Message>%s</Message></Error>".formatted(code, code);
      over();
      toClient.write(
          bytes(
              "HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n%s\r\n%s"
                  .formatted(status, body.length(), header, body)));
      toClient.flush();
      return true;
    }

    /** Copies so many bytes; before the last of an answer, the part is over. */
    private void copy(InputStream from, OutputStream to, long length, boolean isAnswer)
        throws IOException {
      byte[] buffer = new byte[CHUNK];
      for (long left = length; left > 0; ) {
        int count = from.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (count < 0) {
          throw new EOFException();
        }
        left -= count;
        if (left == 0 && isAnswer) {
          over();
        }
        to.write(buffer, 0, count);
        pause(nanosPerChunk * count / CHUNK);
      }
    }

    private void over() {
      if (counted) {
        counted = false;
        parts.decrementAndGet();
      }
    }

    private String head(InputStream from) throws IOException {
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      int matched = 0;
      for (int next = from.read(); next >= 0; next = from.read()) {
        head.write(next);
        matched = next == (matched % 2 == 0 ? '\r' : '\n') ? matched + 1 : next == '\r' ? 1 : 0;
        if (matched == 4) {
          return head.toString(StandardCharsets.ISO_8859_1);
        }
      }
      return "";
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }
  }

  /** Slowness is what this is for; nobody's test decides by it. */
  private static void pause(long nanos) {
    if (nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }

  private interface Loop {
    void run() throws IOException;
  }

  private static void start(String name, Loop loop) {
    Thread thread =
        new Thread(
            () -> {
              try {
                loop.run();
              } catch (IOException hungUp) {
                // Either side may, at any time.
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }
}
