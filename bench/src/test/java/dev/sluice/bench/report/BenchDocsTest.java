package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchDocsTest {
  @TempDir private Path directory;

  @Test
  void written_hasEveryFileAndThePageShowsThem() throws IOException {
    new BenchDocs(directory).write("concurrency", SampleReport.create());
    assertThat(directory)
        .isDirectoryContaining("glob:**/concurrency.json")
        .isDirectoryContaining("glob:**/concurrency.svg")
        .isDirectoryContaining("glob:**/concurrency-claim-time-against-backlog.svg");
    assertThat(Files.readString(directory.resolve("concurrency.md")))
        .contains("./sluice bench concurrency --rounds 3")
        .contains("| baseline | **43,002** (41,250…44,810) | **1.23 ms** (1.10…1.42) |")
        .contains("| all tasks vs baseline | **0.97** | 0.96…0.99 | ≥ 0.80 | ≥ 0.95 | excels |")
        .contains("![concurrency](concurrency.svg)")
        .contains("| PostgreSQL | 16.4 |")
        .contains("- The machine was shared.");
  }

  @Test
  void index_listsFamiliesOnce_andKeepsTheRest() throws IOException {
    Path index = directory.resolve("README.md");
    Files.writeString(index, "# Mine\n<!-- families -->\n- [a](a.md): A\n<!-- end -->\nmore\n");
    BenchDocs docs = new BenchDocs(directory);
    docs.write("concurrency", SampleReport.create());
    docs.write("concurrency", SampleReport.create());
    assertThat(Files.readString(index))
        .isEqualTo(
            """
            # Mine
            <!-- families -->
            - [a](a.md): A
            - [concurrency](concurrency.md): No-op jobs, without a limit and at limit 10.
            <!-- end -->
            more
            """);
  }

  @Test
  void pageWithMore_isNotOverwritten() {
    BenchDocs docs = new BenchDocs(directory);
    docs.write("concurrency", SampleReport.create());
    String name = SampleReport.create().sections().get(0).name();
    assertThatCode(() -> docs.requireNothingLost(Map.of("concurrency", List.of(name))))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> docs.requireNothingLost(Map.of("concurrency", List.of("another"))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("'concurrency'")
        .hasMessageContaining("also has " + name);
  }

  @Test
  void index_missing_isNotMade() {
    new BenchDocs(directory).write("concurrency", SampleReport.create());
    assertThat(directory.resolve("README.md")).doesNotExist();
  }
}
