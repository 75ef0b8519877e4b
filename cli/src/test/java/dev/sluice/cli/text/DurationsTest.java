package dev.sluice.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "500ms, 500",
    "20s, 20000",
    "1.5s, 1500",
    "2m, 120000",
    "1m30s, 90000",
    "1h, 3600000",
    "1d, 86400000",
    "0s, 0",
    "' 3S ', 3000"
  })
  void parse_numberWithUnit_isThatLong(String text, long millis) {
    assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "20", "s", "-5s", "5 s", "1x", "5s!", "s5", "99999999999s", "PT5S"})
  void parse_anythingElse_saysWhatIsAllowed(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a duration")
        .hasMessageContaining("500ms");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0ms",
    "999, 999ms",
    "1000, 1.0s",
    "9999, 9.9s",
    "59999, 59s",
    "185000, 3m 5s",
    "7260000, 2h 1m",
    "180000000, 2d 2h",
    "-2000, -2.0s"
  })
  void format_anyLength_showsTwoLargestUnits(long millis, String text) {
    assertThat(Durations.format(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @Test
  void format_ofParsed_roundTrips() {
    assertThat(Durations.format(Durations.parse("3m5s"))).isEqualTo("3m 5s");
  }
}
