package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import dev.sluice.SluiceException;
import dev.sluice.server.ServerFixture.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the server itself does: where it listens, its pages, its health. */
class ServerTest {
  private final ServerFixture fixture = new ServerFixture(s -> s.storeUrl("memory:"));

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void overview_emptyStore_countsEveryState() throws Exception {
    Reply reply = fixture.get("/api/v1/overview");

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("Content-Type")).isEqualTo("application/json");
    assertThat(reply.json().get("counts").size()).isEqualTo(7);
    assertThat(reply.json().at("/store/kind").asText()).isEqualTo("memory");
    assertThat(reply.json().get("sampled_at").asText()).matches("....-..-..T..:..:..\\....Z");
  }

  @Test
  void page_root_isServedUnderAStrictPolicy() throws Exception {
    Reply reply = fixture.get("/");

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("Content-Type")).startsWith("text/html");
    assertThat(reply.header("Content-Security-Policy"))
        .isEqualTo(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none';"
                + " frame-ancestors 'none'");
    assertThat(reply.header("Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void asset_knownByItsTag_isNotSentAgain() throws Exception {
    Reply first = fixture.get("/assets/app.js");
    Reply second =
        fixture.send(
            fixture.request("/assets/app.js").header("If-None-Match", first.header("ETag")));

    assertThat(first.status()).isEqualTo(200);
    assertThat(first.header("Content-Type")).startsWith("text/javascript");
    assertThat(second.status()).isEqualTo(304);
    assertThat(second.response().body()).isEmpty();
  }

  @Test
  void everyFile_thePageNames_isThere() throws Exception {
    String page = fixture.get("/").response().body();
    var names = java.util.regex.Pattern.compile("(?:src|href)=\"([^\"#]+)\"").matcher(page);
    int files = 0;
    while (names.find()) {
      assertThat(fixture.get("/" + names.group(1)).status()).as(names.group(1)).isEqualTo(200);
      files++;
    }
    assertThat(files).isPositive();
  }

  @Test
  void health_always_isOk() throws Exception {
    assertThat(fixture.get("/healthz").response().body()).isEqualTo("ok\n");
    assertThat(fixture.get("/readyz").status()).isEqualTo(200);
  }

  @Test
  void start_otherAddressWithoutToken_isRefused() {
    assertThatThrownBy(
            () -> SluiceServer.builder(fixture.sluice).address("0.0.0.0").port(0).start())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("0.0.0.0")
        .hasMessageContaining("token");
  }

  @Test
  void start_otherLoopbackAddress_answersUnderItsOwnUrl() throws Exception {
    try (ServerFixture other = new ServerFixture(s -> s.address("127.0.0.2"))) {
      assertThat(other.server.url()).startsWith("http://127.0.0.2:");
      assertThat(other.get("/api/v1/overview").status()).isEqualTo(200);
    }
  }

  @Test
  void close_interrupted_stopsEverythingAndKeepsTheInterrupt() {
    ServerFixture other = new ServerFixture();
    int port = other.server.port();
    Thread.currentThread().interrupt();
    other.server.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> new RawClient(port)).isInstanceOf(java.io.IOException.class);
    other.sluice.close();
  }

  @Test
  void start_portInUse_saysWhichAndWhatToDo() {
    assertThatThrownBy(
            () -> SluiceServer.builder(fixture.sluice).port(fixture.server.port()).start())
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("Choose another port");
  }

  @Test
  void start_shortToken_isRefusedWithoutShowingIt() {
    assertThatThrownBy(() -> SluiceServer.builder(fixture.sluice).readToken("swordfish"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("16")
        .hasMessageNotContaining("swordfish");
  }

  @Test
  void storeUrl_withSecrets_isShownWithout() throws Exception {
    String url = "postgresql://someone:secret@db.example.org/app?password=secret";
    try (ServerFixture other = new ServerFixture(s -> s.storeUrl(url))) {
      Reply reply = other.get("/api/v1/overview");
      assertThat(reply.json().at("/store/kind").asText()).isEqualTo("postgresql");
      assertThat(reply.json().at("/store/name").asText()).isEqualTo("app");
      assertThat(reply.json().at("/store/address").asText())
          .isEqualTo("postgresql://someone:***@db.example.org/app");
    }
  }
}
