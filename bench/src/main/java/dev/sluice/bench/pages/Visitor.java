package dev.sluice.bench.pages;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Asks a server as the dashboard does, and looks at the clock. */
final class Visitor {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int OK = 200;
  private static final int LAST_GOOD = 299;
  private static final double NANOS_PER_MILLI = 1e6;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;

  Visitor(URI server) {
    this.server = server;
  }

  /** How long it takes until the whole answer is here, or the first event, in milliseconds. */
  double time(Call call) throws InterruptedException {
    HttpRequest request = request(call.path()).GET().build();
    long began = System.nanoTime();
    try {
      HttpResponse<InputStream> answer = client.send(request, BodyHandlers.ofInputStream());
      try (InputStream body = answer.body()) {
        if (answer.statusCode() != OK) {
          throw new IllegalStateException(
              "GET %s: %d %s"
                  .formatted(
                      call.path(),
                      answer.statusCode(),
                      new String(body.readAllBytes(), StandardCharsets.UTF_8)));
        }
        if (call.streams()) {
          awaitEvent(body);
        } else {
          body.transferTo(OutputStream.nullOutputStream());
        }
        return (System.nanoTime() - began) / NANOS_PER_MILLI;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitEvent(InputStream body) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    String line;
    do {
      line = lines.readLine();
    } while (line != null && !line.startsWith("data:"));
  }

  /** What is there, as JSON. */
  JsonNode get(String path) throws InterruptedException {
    return json(request(path).GET().build());
  }

  /** Sends something, and answers what came back. */
  JsonNode post(String path, JsonNode body) throws InterruptedException {
    return json(
        request(path)
            .header("Content-Type", "application/json")
            .header("X-Sluice-Request", "1")
            .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
            .build());
  }

  private JsonNode json(HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      if (answer.statusCode() > LAST_GOOD) {
        throw new IllegalStateException(
            "%s %s: %d %s"
                .formatted(request.method(), request.uri(), answer.statusCode(), answer.body()));
      }
      return MAPPER.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path)).timeout(PATIENCE);
  }
}
