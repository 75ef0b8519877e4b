package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spi.ForwardingJobStore;
import dev.sluice.spi.RecoveryReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaseRescuerTest {
  private Optional<Duration> nextLook = Optional.empty();
  private final LeaseRescuer rescuer =
      new LeaseRescuer(
          new ForwardingJobStore(null) {
            @Override
            public RecoveryReport recover() {
              return new RecoveryReport(List.of(), Map.of(), nextLook);
            }
          },
          Duration.ofSeconds(30));

  @Test
  void looksEveryFiveSecondsAtTheLatest() {
    assertThat(rescuer.interval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(rescuer.soon()).isEmpty();
  }

  @Test
  void silentWorker_isLookedAtWhenItsLeaseWouldRunOut_andOnlyThen() {
    nextLook = Optional.of(Duration.ofMillis(1_700));
    rescuer.run();
    assertThat(rescuer.soon()).contains(Duration.ofMillis(1_700));

    nextLook = Optional.empty();
    rescuer.run();
    assertThat(rescuer.soon()).isEmpty();
  }

  @Test
  void lookThatIsOverdue_comesAfterAMoment() {
    nextLook = Optional.of(Duration.ofMillis(-3));
    rescuer.run();
    assertThat(rescuer.soon()).contains(Duration.ofMillis(250));
  }
}
