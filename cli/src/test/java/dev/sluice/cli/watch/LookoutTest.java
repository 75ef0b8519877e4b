package dev.sluice.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.StoreUnavailableException;
import dev.sluice.cli.text.Style;
import dev.sluice.cli.text.Times;
import dev.sluice.cli.watch.TopView.Snapshot;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Looking at a store that answers late, badly or never. */
@Timeout(60)
class LookoutTest {
  private final TopScreen screen =
      new TopScreen(new Style(true, true), new Times(Clock.fixed(Bulletins.START, ZoneOffset.UTC)));
  private final AtomicBoolean closed = new AtomicBoolean();

  private static Snapshot snapshot() {
    return new Snapshot(
        "file:data",
        Map.of(),
        List.of(),
        List.of(),
        Optional.empty(),
        Figures.between(List.of(), List.of()));
  }

  @Test
  void report_storeThatHangs_holdsUpNobody() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    Lookout lookout =
        new Lookout(
            group -> {
              try {
                answered.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return snapshot();
            });
    lookout.look(Optional.empty());
    assertThat(lookout.report(screen)).isFalse();
    lookout.leave(() -> closed.set(true), Duration.ofMillis(50));
    assertThat(closed).isFalse();
    answered.countDown();
    await().untilTrue(closed);
  }

  @Test
  void report_storeHasAnswered_showsItOnce() throws Exception {
    Lookout lookout = new Lookout(group -> snapshot());
    lookout.look(Optional.empty());
    await().until(() -> lookout.report(screen));
    assertThat(screen.lines(80, 24).get(0)).contains("file:data");
    assertThat(lookout.report(screen)).isFalse();
    lookout.leave(() -> closed.set(true), Duration.ofSeconds(30));
    assertThat(closed).isTrue();
  }

  @Test
  void report_storeAway_saysWhyAndLooksAgain() throws Exception {
    AtomicBoolean away = new AtomicBoolean(true);
    Lookout lookout =
        new Lookout(
            group -> {
              if (away.get()) {
                throw new StoreUnavailableException("The store is away.", null);
              }
              return snapshot();
            });
    lookout.look(Optional.empty());
    await().until(() -> lookout.report(screen));
    assertThat(screen.lines(80, 24).get(0)).contains("The store is away.");
    away.set(false);
    lookout.look(Optional.empty());
    await().until(() -> lookout.report(screen));
    assertThat(screen.lines(80, 24).get(0)).contains("file:data");
  }
}
