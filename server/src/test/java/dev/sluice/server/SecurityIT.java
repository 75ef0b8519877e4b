package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.JobState;
import dev.sluice.server.ServerFixture.Reply;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What is refused, and that it changes nothing. */
class SecurityIT {
  private static final String READ = "a-token-that-may-read";
  private static final String OPERATE = "a-token-that-may-operate";
  private static final String JOB = "{\"task\":\"work\"}";

  private final ServerFixture guarded =
      new ServerFixture(s -> s.readToken(READ).operateToken("alice=" + OPERATE));
  private final ServerFixture local = new ServerFixture();

  @AfterEach
  void close() {
    guarded.close();
    local.close();
  }

  private HttpRequest.Builder submit(ServerFixture fixture) {
    return fixture
        .request("/api/v1/jobs")
        .header("X-Sluice-Request", "1")
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(JOB));
  }

  private HttpRequest.Builder as(String token, HttpRequest.Builder request) {
    return request.header("Authorization", "Bearer " + token);
  }

  private void assertUnchanged(ServerFixture fixture) {
    Map<JobState, Long> counts = fixture.sluice.jobs().counts();
    assertThat(counts.values()).containsOnly(0L);
    assertThat(fixture.sluice.concurrency().groups()).isEmpty();
  }

  @Test
  void noToken_anything_isUnauthorized() throws Exception {
    for (String path :
        List.of("/api/v1/overview", "/api/v1/events", "/metrics", "/api/v1/session")) {
      Reply reply = guarded.get(path);
      assertThat(reply.status()).as(path).isEqualTo(401);
      assertThat(reply.header("WWW-Authenticate")).startsWith("Bearer");
    }
    assertThat(guarded.send(submit(guarded)).status()).isEqualTo(401);
    assertThat(guarded.get("/healthz").status()).isEqualTo(200);
    assertThat(guarded.get("/readyz").status()).isEqualTo(200);
    assertThat(guarded.get("/").status()).isEqualTo(200);
    assertUnchanged(guarded);
  }

  @Test
  void wrongToken_anything_isUnauthorizedAndThenTooMuch() throws Exception {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Reply reply = guarded.send(as("a-token-that-is-wrong-" + i, submit(guarded)));
      statuses.add(reply.status());
      if (reply.status() == 429) {
        assertThat(Integer.parseInt(reply.header("Retry-After"))).isPositive();
      }
    }
    assertThat(statuses).containsOnly(401, 429).startsWith(401).contains(429);
    assertThat(guarded.send(as(READ, guarded.request("/api/v1/overview"))).status()).isEqualTo(200);
    assertUnchanged(guarded);
  }

  @Test
  void readToken_write_isForbidden() throws Exception {
    assertThat(guarded.send(as(READ, guarded.request("/api/v1/overview"))).status()).isEqualTo(200);
    ApiContract.assertRefused(guarded.send(as(READ, submit(guarded))), 403, "operate");
    Reply limit =
        guarded.send(
            as(READ, guarded.request("/api/v1/group/limit?group=g"))
                .header("X-Sluice-Request", "1")
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString("{\"limit\":1}")));
    assertThat(limit.status()).isEqualTo(403);
    assertUnchanged(guarded);
  }

  @Test
  void operateToken_write_isDoneUnderItsName() throws Exception {
    assertThat(guarded.send(as(OPERATE, submit(guarded))).status()).isEqualTo(201);
    Reply limit =
        guarded.send(
            as(OPERATE, guarded.request("/api/v1/group/limit?group=work"))
                .header("X-Sluice-Request", "1")
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString("{\"limit\":1}")));
    assertThat(limit.json().at("/change/by").asText()).isEqualTo("api:alice@127.0.0.1");
  }

  @Test
  void write_doneOrRefused_isInTheAuditLogWithWhoAndWhat() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice.server.audit");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
    try {
      String path = "/api/v1/group/limit?group=audited";
      guarded.send(
          as(OPERATE, guarded.request(path))
              .header("X-Sluice-Request", "1")
              .header("Content-Type", "application/json")
              .PUT(BodyPublishers.ofString("{\"limit\":5}")));
      guarded.send(
          as(OPERATE, guarded.request("/api/v1/permits?group=audited"))
              .header("X-Sluice-Request", "1")
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{\"holder\":\"me\",\"lease_seconds\":0}")));
      guarded.send(as(READ, submit(guarded)));
      guarded.send(submit(guarded));
      guarded.get("/api/v1/overview");
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(null);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .contains(
            "actor=\"api:alice@127.0.0.1\" role=operate change=\"PUT /api/v1/group/limit\""
                + " subject=\"audited limit 5\" status=200",
            "actor=\"api:alice@127.0.0.1\" role=operate change=\"POST /api/v1/permits\""
                + " subject=\"audited for me\" status=400",
            "actor=\"api:read@127.0.0.1\" role=read change=\"POST /api/v1/jobs\""
                + " subject=\"\" status=403",
            "actor=\"api:anybody@127.0.0.1\" role=open change=\"POST /api/v1/jobs\""
                + " subject=\"\" status=401")
        // Other tests write to the same log.
        .noneMatch(line -> line.contains("/api/v1/overview"));
  }

  @Test
  void session_tokenExchanged_worksByCookieUntilLogOut() throws Exception {
    Reply in = guarded.post("/api/v1/session", "{\"token\":\"%s\"}".formatted(OPERATE));
    assertThat(in.status()).isEqualTo(204);
    String set = in.header("Set-Cookie");
    assertThat(set).contains("HttpOnly").contains("SameSite=Strict").contains("Path=/");
    String cookie = set.replaceFirst(";.*", "");
    Reply who = guarded.send(guarded.request("/api/v1/session").header("Cookie", cookie));
    assertThat(who.json().get("role").asText()).isEqualTo("operate");
    assertThat(who.json().get("actor").asText()).isEqualTo("api:alice@127.0.0.1");
    assertThat(guarded.send(submit(guarded).header("Cookie", cookie)).status()).isEqualTo(201);
    guarded.send(
        guarded
            .request("/api/v1/session")
            .header("Cookie", cookie)
            .header("X-Sluice-Request", "1")
            .DELETE());
    assertThat(guarded.send(submit(guarded).header("Cookie", cookie)).status()).isEqualTo(401);
    assertThat(guarded.post("/api/v1/session", "{\"token\":\"wrong\"}").status()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data; boundary=x"
      })
  void crossSiteForm_post_isRefused(String type) throws Exception {
    Reply in = guarded.post("/api/v1/session", "{\"token\":\"%s\"}".formatted(OPERATE));
    String cookie = in.header("Set-Cookie").replaceFirst(";.*", "");
    for (ServerFixture fixture : List.of(local, guarded)) {
      // A browser that does not know SameSite would send the cookie along.
      Supplier<HttpRequest.Builder> form =
          () ->
              fixture
                  .request("/api/v1/jobs")
                  .header("Content-Type", type)
                  .header("Cookie", cookie)
                  .POST(BodyPublishers.ofString(JOB));
      Reply reply =
          fixture.send(
              form.get()
                  .header("Origin", "https://elsewhere.example")
                  .header("Sec-Fetch-Site", "cross-site"));
      ApiContract.assertRefused(reply, 403, "another site");
      assertThat(reply.header("Access-Control-Allow-Origin")).isEmpty();
      // Even a form from here would lack the header, and with it would not be JSON.
      ApiContract.assertRefused(fixture.send(form.get()), 403, "X-Sluice-Request");
      assertThat(fixture.send(form.get().header("X-Sluice-Request", "1")).status()).isEqualTo(415);
      assertUnchanged(fixture);
    }
  }

  @Test
  void otherOrigin_writeWithEverythingElse_isRefused() throws Exception {
    for (String origin :
        List.of("https://elsewhere.example", "null", "http://localhost:1", "http://127.0.0.1")) {
      assertThat(local.send(submit(local).header("Origin", origin)).status())
          .as(origin)
          .isEqualTo(403);
    }
    assertThat(local.send(submit(local).header("Sec-Fetch-Site", "same-site")).status())
        .isEqualTo(403);
    assertUnchanged(local);
    String own = "http://127.0.0.1:" + local.server.port();
    assertThat(local.send(submit(local).header("Origin", own)).status()).isEqualTo(201);
  }

  @Test
  void preflight_anything_isNotAnswered() throws Exception {
    Reply reply =
        local.send(
            local
                .request("/api/v1/jobs")
                .header("Origin", "https://elsewhere.example")
                .header("Access-Control-Request-Method", "POST")
                .header("Access-Control-Request-Headers", "x-sluice-request")
                .method("OPTIONS", BodyPublishers.noBody()));
    assertThat(reply.status()).isEqualTo(405);
    assertThat(reply.response().headers().map().keySet())
        .noneMatch(name -> name.toLowerCase(java.util.Locale.ROOT).startsWith("access-control"));
  }

  @Test
  void otherName_withoutTokens_isRefused() throws Exception {
    for (String host : List.of("elsewhere.example", "127.0.0.1:1", "localhost")) {
      try (RawClient client = new RawClient(local.server.port())) {
        String answer =
            client
                .send(
                    "GET /api/v1/overview HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                        .formatted(host))
                .readAll();
        assertThat(answer).as(host).startsWith("HTTP/1.1 403");
      }
    }
  }

  @Test
  void oversizeBody_declaredOrChunked_isRefusedUnread() throws Exception {
    String head =
        "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost:%d\r\nX-Sluice-Request: 1\r\nContent-Type: application/json\r\n"
            .formatted(local.server.port());
    try (RawClient client = new RawClient(local.server.port())) {
      // Not a byte of the body is sent, and the answer comes all the same.
      client.send(head + "Content-Length: 99999999999\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 413");
    }
    try (RawClient client = new RawClient(local.server.port())) {
      client.send(head + "Transfer-Encoding: chunked\r\n\r\n");
      String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
      String answer = "";
      try {
        for (int i = 0; i < 64; i++) {
          client.send(chunk);
        }
      } catch (java.io.IOException e) {
        answer = "hung up";
      }
      if (answer.isEmpty()) {
        assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 413");
      }
    }
    assertUnchanged(local);
    assertThat(local.get("/api/v1/overview").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/assets/../index.html",
        "/assets/..;/index.html",
        "/assets/%2e%2e/index.html",
        "/assets/..%2findex.html",
        "/assets/%2e%2e%2f%2e%2e%2fSluiceServer.class",
        "/assets/app.js%00.html",
        "/assets/",
        "/assets",
        "/assets/vendor",
        "/assets/vendor/",
        "/assets//app.js",
        "//assets/app.js",
        "/assets/.app.js",
        "/assets\\app.js",
        "/..",
        "/WEB-INF/web.xml",
        "/api/v1/..%2f..%2findex.html",
        "/api/v1/jobs/..;/../overview",
        "/API/v1/overview",
        "/api/v1/overview;x=1",
        "/api/v1/overview%00",
        "/api/v1/queues/a%2Fb/pause",
        "/%ff%fe"
      })
  void pathTricks_get_leadNowhere(String path) throws Exception {
    try (RawClient client = new RawClient(local.server.port())) {
      String answer =
          client
              .send(
                  "GET %s HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n"
                      .formatted(path, local.server.port()))
              .readAll();
      assertThat(answer).matches("(?s)HTTP/1.1 40[045] .*");
      assertThat(answer).contains("application/problem+json").contains("nosniff");
      assertThat(answer).doesNotContain("Exception").doesNotContainIgnoringCase("jetty");
      assertThat(answer).doesNotContain("\r\nServer:");
    }
  }

  @Test
  void malformed_requests_areProblemsWithoutAWordAboutTheInside() throws Exception {
    for (String request :
        List.of(
            "nonsense\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET /api/v1/overview HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(20_000) + "\r\n\r\n",
            "POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")) {
      try (RawClient client = new RawClient(local.server.port())) {
        String answer = client.send(request).readUntil("\r\n\r\n");
        assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d .*");
        assertThat(answer).doesNotContain("\r\nServer:");
      }
    }
    assertUnchanged(local);
  }

  @Test
  void nulInParameters_anywhere_isRefused() throws Exception {
    ApiContract.assertRefused(local.get("/api/v1/jobs?text=%00"), 400, "NUL");
    ApiContract.assertRefused(local.post("/api/v1/queue/pause?queue=a%00", null), 400, "NUL");
  }

  @Test
  void script_inNamesAndPayload_comesBackAsJsonText() throws Exception {
    String script = "<script>alert('x')</script>";
    Reply stored =
        local.post(
            "/api/v1/jobs",
            "{\"task\":\"%s\",\"queue\":\"%s\",\"payload\":\"%s\"}"
                .formatted(script, script, script));
    Reply shown = local.get("/api/v1/jobs/" + stored.json().get("id").asText());

    assertThat(shown.json().get("task").asText()).isEqualTo(script);
    assertThat(shown.json().get("payload").asText()).isEqualTo(script);
    assertThat(shown.header("Content-Type")).startsWith("application/json");
    assertThat(shown.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(shown.header("Content-Security-Policy")).startsWith("default-src 'none'");
    Reply refused = local.get("/api/v1/jobs?state=" + ApiContract.encoded(script));
    assertThat(refused.header("Content-Type")).startsWith("application/problem+json");
    assertThat(refused.header("X-Content-Type-Options")).isEqualTo("nosniff");
  }

  @Test
  void writes_beyondTheRate_areRefusedAndNothingIsLost() throws Exception {
    try (ServerFixture narrow = new ServerFixture(s -> s.writesPerSecond(1))) {
      int stored = 0;
      Reply last = null;
      for (int i = 0; i < 8; i++) {
        last = narrow.send(submit(narrow));
        stored += last.status() == 201 ? 1 : 0;
      }
      assertThat(last.status()).isEqualTo(429);
      assertThat(last.header("Retry-After")).isEqualTo("1");
      assertThat(narrow.sluice.jobs().counts().get(JobState.READY)).isEqualTo(stored);
      assertThat(narrow.get("/api/v1/overview").status()).isEqualTo(200);
    }
  }
}
