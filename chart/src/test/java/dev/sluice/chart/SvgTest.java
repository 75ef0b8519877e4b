package dev.sluice.chart;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SvgTest {
  @Test
  void escaped_leavesNothingThatXmlWouldTakeForItsOwn() {
    assertThat(Svg.escaped("<a b='c' d=\"e\">&\u0001\uD800"))
        .isEqualTo("&lt;a b=&apos;c&apos; d=&quot;e&quot;&gt;&amp;\uFFFD\uFFFD");
  }
}
