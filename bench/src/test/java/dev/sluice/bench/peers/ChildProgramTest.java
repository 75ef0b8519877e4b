package dev.sluice.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProgramTest {
  @TempDir private Path directory;

  @Test
  void run_programEnds_answersItsLastLine() throws Exception {
    assertThat(sh("echo first; echo $GREETING").run("test", Map.of("GREETING", "last")))
        .isEqualTo("last");
  }

  @Test
  void run_programDies_saysHowAndWhy() {
    assertThatThrownBy(
            () ->
                sh("echo some file >&2; echo Error: no database >&2; exit 3").run("test", Map.of()))
        .isInstanceOf(ChildFailedException.class)
        .hasMessageStartingWith("sh ended with code 3: Error: no database (more in ");
  }

  @Test
  void run_interrupted_endsTheProgram() throws Exception {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> sh("exec sleep 600").run("test", Map.of()))
        .isInstanceOf(InterruptedException.class);
    assertThat(ProcessHandle.current().children())
        .noneMatch(child -> child.info().command().orElse("").endsWith("sleep"));
  }

  private ChildProgram sh(String script) {
    return new ChildProgram(directory, "sh", "-c", script);
  }
}
