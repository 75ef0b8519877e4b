package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that goes away in the middle of the work and comes back. */
class RestartIT {
  private static final Task<Integer> TASK =
      Task.named("restart", Integer.class).maxConcurrent(3).build();

  @Test
  void serverKilledTwiceWhileWorkersWork_everyJobSucceedsAndNoSlotLeaks(@TempDir Path directory)
      throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.join(directory.resolve("pg"));
        Sluice sluice = Sluice.open(server.dataSource());
        Worker worker =
            sluice
                .worker()
                .handle(TASK, (n, job) -> Thread.sleep(2))
                .lease(Duration.ofSeconds(5))
                .start()) {
      Set<UUID> submitted = new HashSet<>();
      for (int round = 0; round < 3; round++) {
        if (round > 0) {
          killPostmaster(directory);
        }
        for (int i = 0; i < 100; i++) {
          submitted.add(submitPatiently(sluice, i));
        }
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreException(StoreUnavailableException.class)
          .until(() -> sluice.jobs().counts().get(JobState.SUCCEEDED) >= submitted.size());
      for (UUID id : submitted) {
        assertThat(sluice.jobs().get(id).orElseThrow().state()).isEqualTo(JobState.SUCCEEDED);
      }
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () -> assertThat(sluice.concurrency().status("restart").active()).isZero());
    }
  }

  /**
   * A submit whose outcome is unknown is repeated under the same id: at worst it is a duplicate.
   */
  private static UUID submitPatiently(Sluice sluice, int payload) {
    UUID id = UUID.randomUUID();
    return await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .ignoreException(StoreUnavailableException.class)
        .until(
            () -> {
              Submission submission = sluice.submit(TASK, payload, o -> o.id(id));
              return submission.id();
            },
            id::equals);
  }

  private static void killPostmaster(Path directory) throws Exception {
    try (var files = Files.walk(directory)) {
      Path pidFile =
          files.filter(file -> file.endsWith("postmaster.pid")).findFirst().orElseThrow();
      long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
      new ProcessBuilder("kill", "-9", Long.toString(pid)).start().waitFor();
    }
  }
}
