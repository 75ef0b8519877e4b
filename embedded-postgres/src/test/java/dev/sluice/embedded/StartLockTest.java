package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartLockTest {

  @TempDir Path directory;

  @Test
  void acquire_heldByAnotherThread_givesUpAndNamesTheDirectory() {
    Path file = directory.resolve("start.lock");
    try (StartLock ignored = StartLock.acquire(file, Duration.ofSeconds(5))) {
      assertThatThrownBy(
              () ->
                  CompletableFuture.runAsync(
                          () -> StartLock.acquire(file, Duration.ofMillis(50)).close())
                      .join())
          .hasRootCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining(directory.toString());
    }
    StartLock.acquire(file, Duration.ofSeconds(5)).close();
  }
}
