package dev.sluice.throttle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChecksumsTest {
  private static final List<Slice> HALVES = List.of(new Slice(1, 0, 5), new Slice(2, 5, 4));

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = Files.writeString(directory.resolve("file"), "123456789");
  }

  @AfterEach
  void clearFlag() {
    Thread.interrupted();
  }

  @Test
  void crc32c_inSlices_isThatOfTheWhole() throws Exception {
    // The check value of CRC-32C.
    assertThat(Checksums.crc32c(file)).isEqualTo("e3069283");
    assertThat(Checksums.crc32c(file, HALVES).whole()).isEqualTo("e3069283");
  }

  @Test
  void contentMd5_ofTheSliceThatWasRead_isItsMd5() throws Exception {
    Checksums.Crc crc = Checksums.crc32c(file, HALVES);
    // printf 12345 | openssl md5 -binary | base64
    assertThat(Checksums.contentMd5(file, HALVES.get(0), crc))
        .isEqualTo("gnzLDuqKcGxMNKFokfhOew==");
  }

  /** Same length, and on some file systems the same time: only its bytes tell. */
  @Test
  void contentMd5_ofASliceThatChanged_isRefused() throws Exception {
    Checksums.Crc crc = Checksums.crc32c(file, HALVES);
    Files.writeString(file, "12345678X");
    Checksums.contentMd5(file, HALVES.get(0), crc);
    assertThatThrownBy(() -> Checksums.contentMd5(file, HALVES.get(1), crc))
        .isInstanceOf(IntegrityException.class)
        .hasMessageContaining("file changed while it was uploaded");
  }

  @Test
  void contentMd5_ofAFileThatWasCut_isRefused() throws Exception {
    Checksums.Crc crc = Checksums.crc32c(file, HALVES);
    Files.writeString(file, "123456");
    assertThatThrownBy(() -> Checksums.contentMd5(file, HALVES.get(1), crc))
        .isInstanceOf(IntegrityException.class);
  }

  @Test
  void everyChecksum_onAnInterruptedThread_ends() throws Exception {
    Checksums.Crc crc = Checksums.crc32c(file, HALVES);
    assertInterrupted(() -> Checksums.crc32c(file));
    assertInterrupted(() -> Checksums.crc32c(file, HALVES));
    assertInterrupted(() -> Checksums.md5Hex(file));
    assertInterrupted(() -> Checksums.contentMd5(file, HALVES.get(0), crc));
  }

  private static void assertInterrupted(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable hashing) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(hashing).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
