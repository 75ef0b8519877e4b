package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportFileTest {
  @TempDir private Path directory;

  @Test
  void written_readsBackTheSame() {
    Path file = directory.resolve("deep/report.json");
    ReportFile.write(file, SampleReport.create());
    assertThat(ReportFile.read(file)).isEqualTo(SampleReport.create());
  }

  @Test
  void written_beginsWithItsFormat() {
    assertThat(ReportFile.toJson(SampleReport.create()))
        .startsWith("{\n  \"format\" : 1,\n  \"command\"")
        .contains("\"startedAt\" : \"2026-03-01T14:05:11.250Z\"")
        .endsWith("}\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no JSON", "[]", "{}", "{\"format\": 1}", "{\"format\": \"1\"}"})
  void somethingElse_isRefusedByName(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("other.json"), text);
    assertThatThrownBy(() -> ReportFile.read(file))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("is no report")
        .hasMessageContaining("--json");
  }

  @Test
  void otherFormat_isRefusedWithBothNumbers() throws IOException {
    Path file = Files.writeString(directory.resolve("future.json"), "{\"format\": 7}");
    assertThatThrownBy(() -> ReportFile.read(file))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("format 7")
        .hasMessageContaining("format 1");
  }

  @Test
  void missingFile_isNamed() {
    Path file = directory.resolve("nowhere.json");
    assertThatThrownBy(() -> ReportFile.read(file))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("There is no file " + file);
  }
}
