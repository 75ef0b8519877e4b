package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store under an {@code embedded:} URL. */
class EmbeddedStoreIT {
  private static final Task<String> TASK = Task.named("embedded", String.class).build();

  @Test
  void embeddedUrl_keepsJobsFromOneOpeningToTheNext(@TempDir Path directory) {
    String url = "embedded:" + directory.resolve("pg");
    UUID id;
    try (Sluice sluice = Sluice.open(url)) {
      id = sluice.submit(TASK, "hello").id();
    }
    try (Sluice sluice = Sluice.open(url);
        Worker worker =
            sluice.worker().handleReturning(TASK, (text, job) -> text + " again").start()) {
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> sluice.jobs().get(id).orElseThrow().state() == JobState.SUCCEEDED);
      assertThat(sluice.jobs().get(id).orElseThrow().outcome().result())
          .contains("\"hello again\"");
    }
  }
}
