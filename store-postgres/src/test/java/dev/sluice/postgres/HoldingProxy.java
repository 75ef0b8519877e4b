package dev.sluice.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A network between a store and its server that can cut a connection and still deliver, later, the
 * last request that was sent on it.
 */
final class HoldingProxy implements AutoCloseable {
  private static final byte[] READY_FOR_QUERY = {'Z', 0, 0, 0, 5, 'I'};

  private final ServerSocket server;
  private final URI target;
  private final AtomicReference<Hold> next = new AtomicReference<>();

  /** A request that is held back: its client has been cut off already. */
  static final class Hold {
    private final String text;
    private final CountDownLatch deliver = new CountDownLatch(1);
    private final CompletableFuture<Void> carriedOut = new CompletableFuture<>();

    private Hold(String text) {
      this.text = text;
    }

    /** Delivers the request, and waits until the server has carried it out. */
    void deliver() throws Exception {
      deliver.countDown();
      carriedOut.get(30, TimeUnit.SECONDS);
    }
  }

  HoldingProxy(String url) {
    target = URI.create(url);
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  /** The same store, by way of this proxy. */
  String url() {
    return target
        .toString()
        .replace(
            "@" + target.getHost() + ":" + target.getPort(), "@127.0.0.1:" + server.getLocalPort());
  }

  /** Holds the next request that contains this text. */
  Hold hold(String text) {
    Hold hold = new Hold(text);
    next.set(hold);
    return hold;
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = server.accept();
      Socket there = new Socket(target.getHost(), target.getPort());
      client.setTcpNoDelay(true);
      there.setTcpNoDelay(true);
      CompletableFuture<Hold> held = new CompletableFuture<>();
      start(() -> forward(client, there, held));
      start(() -> answer(there, client, held));
    }
  }

  private void forward(Socket client, Socket there, CompletableFuture<Hold> held)
      throws IOException {
    byte[] buffer = new byte[1 << 16];
    InputStream in = client.getInputStream();
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      String text = new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
      Hold hold = next.get();
      if (hold != null && text.contains(hold.text) && next.compareAndSet(hold, null)) {
        held.complete(hold);
        byte[] request = Arrays.copyOf(buffer, n);
        client.close();
        await(hold.deliver);
        there.getOutputStream().write(request);
        return;
      }
      there.getOutputStream().write(buffer, 0, n);
    }
    there.close();
  }

  private static void answer(Socket there, Socket client, CompletableFuture<Hold> held)
      throws IOException {
    byte[] buffer = new byte[1 << 16];
    InputStream in = there.getInputStream();
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      if (held.isDone()) {
        int from = Math.max(0, n - READY_FOR_QUERY.length);
        if (Arrays.equals(Arrays.copyOfRange(buffer, from, n), READY_FOR_QUERY)) {
          held.join().carriedOut.complete(null);
        }
      } else {
        client.getOutputStream().write(buffer, 0, n);
      }
    }
    client.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Pump {
    void run() throws IOException;
  }

  private static void start(Pump pump) {
    Thread thread =
        new Thread(
            () -> {
              try {
                pump.run();
              } catch (IOException e) {
                // The connection has ended, which is what its ends notice by themselves.
              }
            },
            "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
