package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written to the server's directory can be read again, and stays small and private. */
class ServerFilesTest {

  @TempDir Path directory;

  @Test
  void state_written_isReadAgain() {
    Path file = new ServerFiles(directory).state();
    assertThat(ServerState.read(file)).isEmpty();
    new ServerState(20_000, "first").write(file);
    new ServerState(20_001, "second").write(file);
    assertThat(ServerState.read(file)).contains(new ServerState(20_001, "second"));
  }

  @Test
  void state_damaged_isForgotten() throws Exception {
    Path file = Files.writeString(new ServerFiles(directory).state(), "port=\n");
    assertThat(ServerState.read(file)).isEmpty();
  }

  @Test
  void credentials_written_arePrivateAndReadAgain() throws Exception {
    Path file = new ServerFiles(directory).password();
    Credentials credentials = Credentials.generate(new SecureRandom());
    credentials.write(file);
    assertThat(Credentials.read(file)).isEqualTo(credentials);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(credentials.toString()).doesNotContain(credentials.password());
  }

  @Test
  void credentials_fileLost_namesTheFileAndTheRemedy() {
    Path file = new ServerFiles(directory).password();
    assertThatThrownBy(() -> Credentials.read(file))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("Restore that file");
  }

  @Test
  void log_grown_isTurnedOverOnce() throws Exception {
    ServerFiles files = new ServerFiles(directory);
    ServerLog log = new ServerLog(files);
    log.turnOver();
    Files.writeString(files.log(), "line\n".repeat((int) (ServerLog.TURN_OVER_BYTES / 5) + 1));
    log.turnOver();
    assertThat(files.log()).doesNotExist();
    assertThat(files.oldLog()).exists();
    Files.writeString(files.log(), "new\n");
    log.turnOver();
    assertThat(files.log()).hasContent("new");
  }

  @Test
  void log_tail_isTheLastLines() throws Exception {
    ServerFiles files = new ServerFiles(directory);
    Files.writeString(files.log(), "old\n".repeat(5_000) + "FATAL: no\n");
    assertThat(new ServerLog(files).tail().lines()).hasSize(20).last().isEqualTo("FATAL: no");
  }
}
