package dev.sluice.browser;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code sluice server} as a process, on a port that stays its own when it is started again. */
final class LiveServer implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int OK = 200;

  private final HttpClient client = HttpClient.newHttpClient();
  private final String store;
  private final Path directory;
  private final List<String> options;
  private final int port = freePort();
  private Program program;

  private LiveServer(String store, Path directory, List<String> options) {
    this.store = store;
    this.directory = directory;
    this.options = options;
  }

  /**
   * Starts it, and waits until it answers.
   *
   * @param options what it is told besides the store and where to listen
   */
  static LiveServer start(String store, Path directory, String... options) {
    LiveServer server = new LiveServer(store, directory, List.of(options));
    server.start();
    return server;
  }

  /** Starts it again. */
  void start() {
    List<String> arguments =
        Stream.concat(
                Stream.of(
                    "--store", store, "server", "--address", "127.0.0.1", "--port", "" + port),
                options.stream())
            .toList();
    program = Program.start(directory, "server", arguments);
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              if (!program.isAlive()) {
                throw new IllegalStateException("The server ends: " + program.output());
              }
              return answers();
            });
  }

  private boolean answers() throws InterruptedException {
    try {
      return client.send(request("readyz").build(), BodyHandlers.discarding()).statusCode() == OK;
    } catch (IOException e) {
      return false;
    }
  }

  /** Where the dashboard is. */
  URI address() {
    return URI.create("http://127.0.0.1:" + port + "/");
  }

  /** How many points its charts have. */
  int points() throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(request("api/v1/series").build(), BodyHandlers.ofString());
    return MAPPER.readTree(answer.body()).path("points").size();
  }

  /** Makes a schedule. */
  void schedule(String name, String task, String cron) throws IOException, InterruptedException {
    JsonNode body = MAPPER.valueToTree(Map.of("name", name, "task", task, "cron", cron));
    HttpResponse<String> answer =
        client.send(
            request("api/v1/schedules")
                .header("Content-Type", "application/json")
                .header("X-Sluice-Request", "1")
                .POST(BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofString());
    if (answer.statusCode() / 100 != 2) {
      throw new IllegalStateException(answer.body());
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(address().resolve(path));
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops it. */
  @Override
  public void close() {
    program.close();
  }
}
