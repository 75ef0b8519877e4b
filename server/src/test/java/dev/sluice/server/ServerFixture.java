package dev.sluice.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Sluice;
import dev.sluice.server.api.OpenApi;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** A server on a store of its own in memory, or on one that is given, and a client for it. */
final class ServerFixture implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();

  final Sluice sluice;
  final SluiceServer server;
  final Documented documented;
  final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  ServerFixture() {
    this(Sluice.open("memory:" + UUID.randomUUID()), settings -> settings);
  }

  ServerFixture(UnaryOperator<SluiceServerBuilder> settings) {
    this(Sluice.open("memory:" + UUID.randomUUID()), settings);
  }

  ServerFixture(Sluice sluice, UnaryOperator<SluiceServerBuilder> settings) {
    this.sluice = sluice;
    server = settings.apply(SluiceServer.builder(sluice).port(0)).start();
    documented =
        new Documented(
            JSON.valueToTree(OpenApi.of(server.routes(), "the version does not matter")));
  }

  /** An answer with its body as JSON, or null if it has none. */
  record Reply(HttpResponse<String> response, JsonNode json) {
    int status() {
      return response.statusCode();
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(Duration.ofSeconds(30));
  }

  Reply get(String path) throws IOException, InterruptedException {
    return send(request(path).GET());
  }

  Reply post(String path, String body) throws IOException, InterruptedException {
    return write("POST", path, body);
  }

  Reply write(String method, String path, String body) throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path).header("X-Sluice-Request", "1");
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    return send(
        request.method(
            method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
  }

  Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    String type = response.headers().firstValue("Content-Type").orElse("");
    Reply reply =
        new Reply(response, type.contains("json") ? JSON.readTree(response.body()) : null);
    String path = response.uri().getRawPath();
    documented.check(response.request().method(), path, reply);
    return reply;
  }

  @Override
  public void close() {
    server.close();
    sluice.close();
  }
}
