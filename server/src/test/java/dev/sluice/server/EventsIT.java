package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The stream of events. */
class EventsIT {
  private final ServerFixture fixture = new ServerFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private RawClient watch(String query) throws IOException {
    return new RawClient(fixture.server.port())
        .send(
            "GET /api/v1/events%s HTTP/1.1\r\nHost: localhost:%d\r\n\r\n"
                .formatted(query, fixture.server.port()));
  }

  /** The data of the next event of this topic. */
  private static JsonNode next(RawClient client, String topic) throws IOException {
    client.readUntil("event: " + topic + "\n");
    client.readUntil("data: ");
    return ServerFixture.JSON.readTree(client.readUntil("\n"));
  }

  @Test
  void watch_overview_comesAtOnceAndAgain() throws Exception {
    assertThat(fixture.get("/api/v1/overview").status()).isEqualTo(200);
    try (RawClient client = watch("?topics=state")) {
      String head = client.readUntil("\r\n\r\n");
      assertThat(head).startsWith("HTTP/1.1 200").contains("text/event-stream");
      assertThat(head).contains("Cache-Control: no-store").contains("nosniff");
      JsonNode first = next(client, "state");
      JsonNode second = next(client, "state");
      assertThat(second.get("sampled_at")).isNotEqualTo(first.get("sampled_at"));
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> fixture.server.streams() == 0);
  }

  @Test
  void watch_limitsAndJobs_areToldAsTheyHappen() throws Exception {
    try (RawClient client = watch("");
        Worker worker =
            fixture.sluice.worker().handle(ApiContract.WORK, (payload, context) -> {}).start()) {
      next(client, "group");
      fixture.write("PUT", "/api/v1/group/limit?group=work", "{\"limit\": 7}");
      fixture.post("/api/v1/jobs", "{\"task\": \"work\"}");
      List<String> seen = new ArrayList<>();
      while (!seen.containsAll(List.of("limit", "started"))) {
        client.readUntil("event: ");
        String topic = client.readUntil("\n").strip();
        client.readUntil("data: ");
        JsonNode data = ServerFixture.JSON.readTree(client.readUntil("\n"));
        if (topic.equals("limit")) {
          assertThat(data.get("after").asInt()).isEqualTo(7);
          seen.add("limit");
        } else if (topic.equals("job")) {
          assertThat(data.get("task").asText()).isEqualTo("work");
          seen.add(data.get("what").asText());
        }
      }
    }
  }

  @Test
  void watch_unknownTopics_isRefused() throws Exception {
    ApiContract.assertRefused(fixture.get("/api/v1/events?topics=x"), 400, "state, group");
  }

  @Test
  void watch_tooMany_areRefusedAndTheOthersStay() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        clients.add(watch("?topics=limit"));
      }
      await().atMost(Duration.ofSeconds(30)).until(() -> fixture.server.streams() == 100);
      assertThat(fixture.get("/api/v1/events").status()).isEqualTo(429);
      assertThat(fixture.get("/api/v1/overview").status()).isEqualTo(200);
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> fixture.server.streams() < 100);
  }

  @Test
  void stop_whileWatched_endsTheStream() throws Exception {
    try (RawClient client = watch("")) {
      client.readUntil("retry: ");
      fixture.server.close();
      assertThat(client.isOver(Duration.ofSeconds(10))).isTrue();
    }
  }

  @Test
  void logOut_whileWatching_endsTheStream() throws Exception {
    String token = "a-token-that-may-read";
    try (ServerFixture guarded = new ServerFixture(s -> s.readToken(token))) {
      String cookie =
          guarded
              .post("/api/v1/session", "{\"token\":\"%s\"}".formatted(token))
              .header("Set-Cookie")
              .replaceFirst(";.*", "");
      try (RawClient client =
          new RawClient(guarded.server.port())
              .send(
                  "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nCookie: %s\r\n\r\n"
                      .formatted(cookie))) {
        client.readUntil("retry: ");
        guarded.send(
            guarded
                .request("/api/v1/session")
                .header("Cookie", cookie)
                .header("X-Sluice-Request", "1")
                .DELETE());
        client.readUntil("\r\n0\r\n\r\n");
      }
      assertThat(guarded.server.streams()).isZero();
    }
  }
}
