package dev.sluice.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeysTest {
  private static final int NOTHING_YET = -2;

  private final Keys keys = new Keys();

  private int[] typed(int... characters) {
    return IntStream.of(characters).map(keys::typed).filter(key -> key != Keys.NONE).toArray();
  }

  @Test
  void letter_isItself() {
    assertThat(typed('q', ' ', 3, '[', 'O', 'A')).containsExactly('q', ' ', 3, '[', 'O', 'A');
  }

  @ParameterizedTest
  @CsvSource({"[, A, k", "[, B, j", "O, A, k", "O, B, j"})
  void arrow_isALetter(char second, char third, char letter) {
    assertThat(typed(27, second, third)).containsExactly(letter);
  }

  @Test
  void arrowInPieces_isOneKey() {
    assertThat(typed(27, NOTHING_YET, NOTHING_YET, '[', NOTHING_YET, 'B', 'q'))
        .containsExactly('j', 'q');
  }

  @Test
  void otherSequence_isNoKey() {
    assertThat(typed(27, '[', 'C', 'j')).containsExactly('j');
  }

  @Test
  void escapeTwice_arrowCounts() {
    assertThat(typed(27, 27, '[', 'A')).containsExactly('k');
  }
}
