package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.report.ReportFile;
import dev.sluice.bench.report.SampleReport;
import dev.sluice.cli.text.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareCommandTest {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Path before;

  @BeforeEach
  void writeReport() {
    before = directory.resolve("before.json");
    ReportFile.write(before, SampleReport.create());
  }

  @Test
  void twoReports_changesAreNamed() {
    Path after = directory.resolve("after.json");
    ReportFile.write(
        after, SampleReport.with(List.of(SampleReport.subject("baseline", 86_000, 86_010))));
    assertThat(run("compare", before.toString(), after.toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsPattern("concurrency: baseline +jobs/s +43,002 +86,005 +2.00 +more")
        .contains("Only in " + before, "  concurrency: all tasks at limit 10");
  }

  @Test
  void noReport_isAUsageErrorThatNamesTheFile() throws Exception {
    Path other = Files.writeString(directory.resolve("other.json"), "{}");
    assertThat(run("compare", before.toString(), other.toString())).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(other + " is no report");
  }

  private int run(String... arguments) {
    return BenchMain.run(Console.plain(out, err), arguments);
  }
}
