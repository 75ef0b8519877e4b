package dev.sluice.cli.text;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
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
  void message_ofOneLine_isThatLine() {
    assertThat(Printable.message("one\u0007\n")).isEqualTo("one\\u0007");
    assertThat(Printable.message(" ")).isEmpty();
  }

  @Test
  void message_dump_keepsTheFirstAndTheLastLinesIndented() {
    String dump = IntStream.rangeClosed(1, 50).mapToObj(String::valueOf).collect(joining("\n"));
    assertThat(Printable.message("It failed:\n\n" + dump).lines())
        .startsWith("It failed:", "  …", "  43")
        .endsWith("  50")
        .hasSize(10);
  }

  @Test
  void cut_textThatFits_isWhole() {
    assertThat(Printable.cut("abc", 3, "…")).isEqualTo("abc");
    assertThat(Printable.cut("日本語", 4, "…")).isEqualTo("日…");
  }

  @Test
  void clip_colouredText_isCutByColumnsAndEndsItsColours() {
    assertThat(Printable.clip("\u001b[31mabcdef\u001b[0m", 3)).isEqualTo("\u001b[31mabc\u001b[0m");
    assertThat(Printable.clip("漢字かな", 5)).isEqualTo("漢字");
    assertThat(Printable.clip("short", 5)).isEqualTo("short");
  }
}
