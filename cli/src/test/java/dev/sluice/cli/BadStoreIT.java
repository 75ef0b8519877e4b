package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that cannot be used: a clear line, the right exit code, no password. */
class BadStoreIT {
  private static Run list(String store) {
    return Run.of("--store", store, "queues", "list");
  }

  private static void assertUnavailable(Run run) {
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("sluice: ").hasLineCount(1).doesNotContain("s3cret");
  }

  @Test
  void open_nobodyListens_saysWhichServer() {
    Run run = list("postgresql://ada:s3cret@127.0.0.1:1/app");
    assertUnavailable(run);
    assertThat(run.err()).contains("127.0.0.1");
  }

  @Test
  void open_unknownHost_saysWhichServer() {
    assertUnavailable(list("postgresql://ada:s3cret@no-such-host.invalid/app"));
  }

  @Test
  void open_wrongPassword_saysSoAndDoesNotPrintIt() {
    assertUnavailable(
        list("postgresql://postgres:s3cret@127.0.0.1:" + TestStore.port() + "/postgres"));
  }

  @Test
  void open_embeddedInAFile_saysSo(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    assertUnavailable(list("embedded:" + file));
  }

  @Test
  void open_malformedUrl_isAMistake() {
    Run run = list("postgresql:nonsense s3cret");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("malformed").doesNotContain("s3cret");
  }
}
