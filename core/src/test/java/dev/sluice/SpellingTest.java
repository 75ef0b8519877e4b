package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpellingTest {
  @ParameterizedTest
  @CsvSource({
    "sumbit, submit, true",
    "jbos, jobs, true",
    "lst, list, true",
    "conc, concurrency, true",
    "frobnicate, jobs, false",
    "demo, jobs, false",
    "--nope, --count, false",
    "--tiemout, --timeout, true"
  })
  void isClose_twoWords_isTrueOfMistypedOnes(String typed, String known, boolean close) {
    assertThat(Spelling.isClose(typed, known)).isEqualTo(close);
  }
}
