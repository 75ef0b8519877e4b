package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigitsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "12345.4; 12,345",
        "123.4; 123",
        "45.23; 45.2",
        "1.234; 1.23",
        "0.966; 0.97",
        "0.0312; 0.031",
        "0.0000004; 0.0000004",
        "10; 10",
        "0; 0",
        "-3.5; -3.50",
        "NaN; -"
      })
  void value_hasThreeDigitsOrSo(double value, String text) {
    assertThat(Digits.of(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"1, 1.00", "0.966, 0.97", "14.23, 14.2", "0, 0.00", "0.004, 0.004"})
  void ratio_keepsItsDecimals(double value, String text) {
    assertThat(Digits.ratio(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"500; 500", "5000; 5,000", "20000; 20k", "1500000; 1.5M", "0.05; 0.05", "0; 0"})
  void mark_isShort(double value, String text) {
    assertThat(Digits.mark(value)).isEqualTo(text);
  }

  @Test
  void median_namesTheUnitOnce() {
    assertThat(Digits.median("claim p99", Figure.once("ms", 1.234))).isEqualTo("1.23 ms");
    assertThat(Digits.median("jobs/s", Figure.once("jobs/s", 1234))).isEqualTo("1,234");
  }

  @Test
  void unknown_isADash() {
    Figure unknown = Figure.ifKnown("µs", List.of(OptionalDouble.empty()));
    assertThat(Digits.median("server CPU per job", unknown)).isEqualTo("–");
    assertThat(Digits.spread(unknown)).isEmpty();
  }

  @Test
  void spread_ofOneValue_isNone() {
    assertThat(Digits.spread(Figure.once("ms", 1))).isEmpty();
    assertThat(Digits.spread(SampleReport.figure("ms", 1.5, 1000))).isEqualTo("1.50…1,000");
  }
}
