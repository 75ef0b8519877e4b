package dev.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A parser that accepts everything would prove nothing. */
class PrometheusTextTest {
  private static List<String> problems(String... lines) {
    return PrometheusText.parse(String.join("\n", lines) + "\n").problems();
  }

  @Test
  void parse_goodText_hasNoProblemAndTheRightValues() {
    PrometheusText text =
        PrometheusText.parse(
            """
            # HELP a_total Help
            # TYPE a_total counter
            a_total{group="x\\"y\\\\z\\n"} 3
            # HELP d_seconds Help
            # TYPE d_seconds histogram
            d_seconds_bucket{le="0.1"} 1
            d_seconds_bucket{le="+Inf"} 2
            d_seconds_count 2
            d_seconds_sum 1.5
            """);

    assertThat(text.problems()).isEmpty();
    assertThat(text.value("a_total", "group", "x\"y\\z\n")).isEqualTo(3);
    assertThat(text.value("d_seconds_count")).isEqualTo(2);
  }

  @Test
  void parse_badText_isFound() {
    String help = "# HELP a_total Help";
    String type = "# TYPE a_total counter";
    assertThat(problems(help, type, "a_total 1", "a_total 2")).hasSize(1);
    assertThat(problems(help, "a_total 1", type)).isNotEmpty();
    assertThat(problems(type, "a_total 1")).hasSize(1);
    assertThat(problems(help, "# TYPE a_total gauge", "a_total 1")).hasSize(1);
    assertThat(problems("# HELP a Help", "# TYPE a counter", "a 1")).hasSize(1);
    assertThat(problems(help, type, "a_total{group=x} 1")).hasSize(1);
    assertThat(problems(help, type, "a_total{group=\"\\x\"} 1")).hasSize(1);
    assertThat(problems(help, type, "a_total{g=\"1\",g=\"2\"} 1")).hasSize(1);
    assertThat(problems(help, type, "a_total one")).isNotEmpty();
    assertThat(problems("# HELP a_ms Help", "# TYPE a_ms gauge", "a_ms 1")).hasSize(1);
    assertThat(problems(help, type, help, "a_total 1")).hasSize(1);
    assertThat(
            problems(
                "# HELP d_seconds Help",
                "# TYPE d_seconds histogram",
                "d_seconds_bucket{le=\"1\"} 3",
                "d_seconds_bucket{le=\"+Inf\"} 2",
                "d_seconds_count 2",
                "d_seconds_sum 1"))
        .hasSize(1);
  }
}
