package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.JobState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Those who take forever are hung up on, and cost nobody else anything. */
class SlowClientIT {
  private final ServerFixture local = new ServerFixture();

  @AfterEach
  void close() {
    local.close();
  }

  @Test
  void slowHeaders_byteByByte_areHungUpOnWhileOthersAreServed() throws Exception {
    try (RawClient first = new RawClient(local.server.port());
        RawClient kept = new RawClient(local.server.port())) {
      // One that has been served once is no better the second time.
      kept.send(
          "GET /healthz HTTP/1.1\r\nHost: localhost:%d\r\n\r\n".formatted(local.server.port()));
      kept.readUntil("ok\n");
      first.send("GET /healthz HTTP/1.1\r\nX: ");
      kept.send("GET /healthz HTTP/1.1\r\nX: ");
      await()
          .atMost(Duration.ofSeconds(40))
          .pollInterval(Duration.ofMillis(500))
          .until(() -> drippedAndHungUp(first) && drippedAndHungUp(kept));
    }
    assertThat(local.get("/healthz").status()).isEqualTo(200);
  }

  private static boolean drippedAndHungUp(RawClient client) throws Exception {
    try {
      client.send("x");
    } catch (IOException e) {
      return true;
    }
    return client.isHungUp(Duration.ofMillis(100));
  }

  @Test
  void slowBody_dripped_isGivenUpAndStoresNothing() throws Exception {
    try (RawClient client = new RawClient(local.server.port())) {
      client.send(
          "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost:%d\r\nX-Sluice-Request: 1\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{"
              .formatted(local.server.port()));
      await()
          .atMost(Duration.ofSeconds(40))
          .pollInterval(Duration.ofMillis(300))
          .until(
              () -> {
                try {
                  client.send(" ");
                } catch (IOException e) {
                  return true;
                }
                return client.isReadable() && client.readUntil("\r\n").contains(" 408 ");
              });
    }
    assertThat(local.sluice.jobs().counts().values()).containsOnly(0L);
  }

  @Test
  void idleBodies_moreThanThreads_costNobodyElse() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 150; i++) {
        clients.add(begin(i % 2 == 0 ? "/api/v1/session" : "/api/v1/jobs"));
      }
      for (int i = 0; i < 5; i++) {
        long begun = System.nanoTime();
        assertThat(local.get("/healthz").status()).isEqualTo(200);
        assertThat(local.post("/api/v1/jobs", "{\"task\":\"work\"}").status()).isEqualTo(201);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(4));
      }
      for (RawClient client : clients) {
        assertThat(client.isGivenUp(Duration.ofSeconds(20))).isTrue();
      }
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    assertThat(local.sluice.jobs().counts().get(JobState.READY)).isEqualTo(5L);
  }

  private RawClient begin(String path) throws IOException {
    return new RawClient(local.server.port())
        .send(
            "POST %s HTTP/1.1\r\nHost: localhost:%d\r\nX-Sluice-Request: 1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
                .formatted(path, local.server.port()));
  }

  @Test
  void body_brokenOffOrIdle_isNoErrorInTheLog() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice.server");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try (RawClient idle = begin("/api/v1/jobs")) {
      begin("/api/v1/jobs").close();
      assertThat(idle.isGivenUp(Duration.ofSeconds(20))).isTrue();
      assertThat(local.get("/healthz").status()).isEqualTo(200);
    } finally {
      logger.detachAppender(lines);
    }
    // Others are tested meanwhile, and may warn of stores that they stop.
    assertThat(lines.list)
        .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.ERROR))
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEmpty();
  }

  @Test
  void slowReader_ofEvents_isCutOffAndCostsNobodyElse() throws Exception {
    String long200 = "q".repeat(190);
    for (int i = 0; i < 200; i++) {
      local.sluice.queues().pause(long200 + i);
    }
    try (RawClient client = new RawClient(local.server.port(), 4_096)) {
      client.send(
          "GET /api/v1/events HTTP/1.1\r\nHost: localhost:%d\r\n\r\n"
              .formatted(local.server.port()));
      await().atMost(Duration.ofSeconds(10)).until(() -> local.server.streams() == 1);
      // It reads nothing; what it is told fills the connection, then its queue, then it is over.
      AtomicInteger limits = new AtomicInteger();
      await()
          .atMost(Duration.ofMinutes(3))
          .until(
              () -> {
                for (int i = 0; i < 5; i++) {
                  int n = limits.incrementAndGet();
                  local.sluice.concurrency().setLimit("g".repeat(190) + n % 50, n);
                }
                return local.server.streams() == 0;
              });
    }
    assertThat(local.get("/api/v1/overview").status()).isEqualTo(200);
  }
}
