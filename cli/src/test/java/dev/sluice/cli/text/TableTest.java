package dev.sluice.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {
  private static final Style PLAIN = new Style(false, true);

  @Test
  void lines_columns_areAsWideAsTheirWidestCell() {
    Table table = new Table(PLAIN).left("NAME").right("N").row("a", "1").row("long name", "1,000");
    assertThat(table.lines(80))
        .containsExactly("NAME           N", "a              1", "long name  1,000");
  }

  @Test
  void lines_tooWide_cutTheFlexibleColumn() {
    Table table = new Table(PLAIN).flexible("NAME").right("N").row("a-very-long-name", "1");
    assertThat(table.lines(14)).containsExactly("NAME         N", "a-very-lon…  1");
  }

  @Test
  void lines_wideCharacters_stayAligned() {
    Table table =
        new Table(PLAIN).left("NAME").left("X").row("日本", "1").row("🚀", "2").row("abcd", "3");
    assertThat(table.lines(80)).containsExactly("NAME  X", "日本  1", "🚀    2", "abcd  3");
  }

  @Test
  void lines_colouredCells_countWithoutTheirCodes() {
    Style colours = new Style(true, true);
    Table table = new Table(colours).left("A").left("B").row(colours.red("x"), "1").row("yy", "2");
    assertThat(table.lines(80).get(1)).isEqualTo("\u001b[31mx\u001b[0m   1");
  }

  @Test
  void row_wrongNumberOfCells_isRefused() {
    Table table = new Table(PLAIN).left("A").left("B");
    assertThatThrownBy(() -> table.row("1")).isInstanceOf(IllegalArgumentException.class);
  }
}
