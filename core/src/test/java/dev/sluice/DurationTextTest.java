package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "500ms,500",
    "20s,20000",
    "1m30s,90000",
    "1.5h,5400000",
    "2d,172800000",
    " 1H ,3600000"
  })
  void parse_numbersWithUnits_addsThemUp(String text, long millis) {
    assertThat(DurationText.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "5 s", "1m 30s", "-5s", "1e3s", "5y"})
  void parse_anythingElse_saysWhatIsAllowed(String text) {
    assertThatThrownBy(() -> DurationText.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("'" + text + "'", "500ms, 20s, 1m30s, 2h or 1d");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 999, 1_000, 61_001, 3_600_000, 90_061_001})
  void format_millis_isReadBack(long millis) {
    Duration duration = Duration.ofMillis(millis);
    assertThat(DurationText.parse(DurationText.format(duration))).isEqualTo(duration);
  }
}
