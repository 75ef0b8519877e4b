package dev.sluice.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StyleTest {
  @ParameterizedTest
  @CsvSource({
    "0, 10, ░░░░░",
    "1, 10, █░░░░",
    "5, 10, ██░░░",
    "9, 10, ████░",
    "10, 10, █████",
    "12, 10, █████",
    "0, 0, ░░░░░",
    "999, 1000, ████░"
  })
  void bar_anyShare_isFullOnlyAtTheLimit(long value, long of, String bar) {
    assertThat(new Style(false, true).bar(value, of, 5)).isEqualTo(bar);
  }

  @Test
  void bar_withoutUnicode_isAscii() {
    assertThat(new Style(false, false).bar(1, 2, 4)).isEqualTo("##..");
  }

  @Test
  void bar_aboveLimit_isRed() {
    assertThat(new Style(true, true).bar(3, 2, 2)).contains("\u001b[31m██");
  }

  @Test
  void state_withoutColour_isTheWordItself() {
    for (JobState state : JobState.values()) {
      assertThat(new Style(false, true).state(state)).isEqualTo(state.toString());
    }
  }
}
