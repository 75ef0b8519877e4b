package dev.sluice.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s",
    "PT1S, 1 s",
    "PT0.5S, 500 ms",
    "PT2M, 2 min",
    "PT1M30.25S, 1 min 30 s 250 ms",
    "PT-1S, -1 s",
    "PT-0.5S, -500 ms",
    "PT49H, 2 d 1 h",
    "PT0.000000007S, 7 ns"
  })
  void format_anyDuration_isInFull(Duration duration, String text) {
    assertThat(Durations.format(duration)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"9223372036854775807", "-9223372036854775808"})
  void format_outermostDuration_isPossible(long seconds) {
    assertThat(Durations.format(Duration.ofSeconds(seconds))).contains(" d ");
  }
}
