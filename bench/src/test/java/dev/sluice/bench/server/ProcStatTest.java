package dev.sluice.bench.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcStatTest {
  private static final String REST =
      " S 1 4711 4711 0 -1 4194304 1526 90233 0 12 250 31 7000 420 20 0 1 0 88123 223604736 4523";

  @Test
  void line_saysParentAndTicks() {
    assertThat(ProcStat.parse("4711 (postgres)" + REST + "\n"))
        .isEqualTo(new ProcStat(1, 250 + 31, 7000 + 420));
  }

  @Test
  void nameWithSpacesAndParentheses_isSkipped() {
    assertThat(ProcStat.parse("4711 (a) 1 2 (b c)" + REST))
        .isEqualTo(ProcStat.parse("4711 (postgres)" + REST));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "4711 (postgres", "4711 (postgres) S 1 4711", "4711 postgres S 1"})
  void somethingElse_isRefused(String line) {
    assertThatThrownBy(() -> ProcStat.parse(line)).isInstanceOf(IllegalArgumentException.class);
  }
}
