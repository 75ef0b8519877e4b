package dev.sluice.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
  @Test
  void of_controlCharacters_areShownNotSent() {
    assertThat(Printable.of("a\u001b[2Jb\nc\td\u0000\u202e"))
        .isEqualTo("a\\u001b[2Jb\\nc\\td\\u0000\\u202e");
  }

  @Test
  void of_namesInAnyScript_areLeftAlone() {
    assertThat(Printable.of("żółć 日本 🚀 \"quoted\"")).isEqualTo("żółć 日本 🚀 \"quoted\"");
  }

  @Test
  void lines_messageOfSeveralLines_keepsThem() {
    assertThat(Printable.lines("one\r\n\ttwo\u0007")).isEqualTo("one\n    two\\u0007");
  }

  @Test
  void cut_textThatFits_isWhole() {
    assertThat(Printable.cut("abc", 3, "…")).isEqualTo("abc");
    assertThat(Printable.cut("日本語", 4, "…")).isEqualTo("日…");
  }
}
