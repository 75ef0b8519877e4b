package dev.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditLogTest {
  @Test
  void write_namesWithLineBreaksAndQuotes_stayOnOneLine() {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.sluice.server.audit");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.setLevel(ch.qos.logback.classic.Level.INFO);
    logger.addAppender(lines);
    try {
      AuditLog.write(
          new Caller("alice", Role.OPERATE, "10.0.0.1"),
          "PUT /api/v1/group/limit",
          "g\" status=200\nactor=\"bob\u2028",
          403);
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(null);
    }
    assertThat(lines.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEqualTo(
            "actor=\"api:alice@10.0.0.1\" role=operate change=\"PUT /api/v1/group/limit\""
                + " subject=\"g\\\" status=200\\u000aactor=\\\"bob\\u2028\" status=403");
  }
}
