package dev.sluice.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.StoreIncompatibleException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DamagedObjectsTest {
  private static final StoreIncompatibleException DAMAGE =
      new StoreIncompatibleException("The object 'a' is not what Sluice writes there.");

  private final AtomicLong clock = new AtomicLong();
  private final DamagedObjects damaged = new DamagedObjects(clock::get);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger().detachAppender(log);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(DamagedObjects.class);
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  @Test
  void found_againAndAgain_isSpokenOfOnceAMinute() {
    for (int second = 0; second < 150; second++) {
      damaged.found("a", DAMAGE, "Its jobs wait.");
      pass(Duration.ofSeconds(1));
    }
    assertThat(log.list)
        .hasSize(3)
        .allSatisfy(
            event ->
                assertThat(event.getFormattedMessage())
                    .contains("The object 'a'", "Its jobs wait."));
    assertThat(log.list).allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
  }

  @Test
  void mayAsk_aMomentLater_refuses_andAsksAgainAfterAWhile() {
    assertThatCode(() -> damaged.mayAsk("a")).doesNotThrowAnyException();
    damaged.found("a", DAMAGE, "");
    pass(Duration.ofSeconds(1));
    assertThatThrownBy(() -> damaged.mayAsk("a")).hasMessage(DAMAGE.getMessage());
    assertThatCode(() -> damaged.mayAsk("b")).doesNotThrowAnyException();
    pass(Duration.ofSeconds(2));
    assertThatCode(() -> damaged.mayAsk("a")).doesNotThrowAnyException();
  }

  @Test
  void readable_saysSo_andBeginsAnew() {
    damaged.found("a", DAMAGE, "");
    damaged.readable("a");
    damaged.readable("a");
    assertThat(log.list).hasSize(2);
    assertThat(log.list.get(1).getFormattedMessage()).contains("'a' can be read again");
    assertThatCode(() -> damaged.mayAsk("a")).doesNotThrowAnyException();
  }
}
