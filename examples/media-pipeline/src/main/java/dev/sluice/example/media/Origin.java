package dev.sluice.example.media;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Where videos are fetched from: a web server on the loopback address, with one directory. */
final class Origin implements AutoCloseable {
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Path directory;
  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /**
   * Serves the files of a directory.
   *
   * @param filters what requests pass first
   */
  Origin(Path directory, Filter... filters) throws IOException {
    this.directory = directory;
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads);
    HttpContext files = http.createContext("/", this::serve);
    files.getFilters().addAll(List.of(filters));
    http.start();
  }

  /** The address of a file. */
  String url(String file) {
    return "http://127.0.0.1:%d/%s".formatted(http.getAddress().getPort(), file);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Path file = directory.resolve(exchange.getRequestURI().getPath().substring(1)).normalize();
      if (!file.startsWith(directory) || !Files.isRegularFile(file)) {
        exchange.sendResponseHeaders(NOT_FOUND, -1);
        return;
      }
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(OK, head ? -1 : Files.size(file));
      if (!head) {
        Files.copy(file, exchange.getResponseBody());
      }
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
