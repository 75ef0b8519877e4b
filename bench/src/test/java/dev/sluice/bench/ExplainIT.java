package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.text.Console;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainIT {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void claimAndCompletion_readABatchAndNoMore() throws Exception {
    int exitCode =
        BenchMain.run(
            Console.plain(out, err), "explain", "--jobs", "20000", "--docs", directory.toString());
    assertThat(err.toString(StandardCharsets.UTF_8)).doesNotContain("sluice bench:");
    assertThat(exitCode).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("claim of 200 jobs", "completion of 200 jobs")
        .containsPattern("claim executes the same \\d+ plans as in a schema without the tables")
        .containsPattern("completion executes the same \\d+ plans as in a schema without");
    assertThat(page("concurrency-baseline"))
        .contains("job by job_to_claim: 200")
        .doesNotContain("on slot", "on limit_rule");
    assertThat(page("concurrency-single-task"))
        .contains("look, line")
        .doesNotContain("take_slots", "free_slots");
    assertThat(page("concurrency-all-tasks"))
        .contains("take_slots", "free_slots")
        .doesNotContain("look, line");
  }

  private String page(String setUp) throws Exception {
    return Files.readString(directory.resolve("plans").resolve(setUp + ".md"));
  }
}
