package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.JobState;
import dev.sluice.Queues.QueueInfo;
import dev.sluice.Sluice;
import dev.sluice.Task;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Counts of so many jobs that counting is not done for each who asks. */
class JobCensusIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final int JOBS = 30_000;
  private static final Task<String> TASK = Task.named("t", String.class).build();

  @Test
  void manyJobs_firstAnswerIsExactAndLaterOnesFollow() {
    String large = "x".repeat(1_000);
    try (PostgresFixture fixture = new PostgresFixture(SERVER);
        Sluice sluice = fixture.open()) {
      for (int i = 0; i < 6; i++) {
        sluice.submitAll(TASK, Collections.nCopies(JOBS / 6, large));
      }
      assertThat(sluice.jobs().counts()).containsEntry(JobState.READY, (long) JOBS);

      sluice.submitAll(TASK, Collections.nCopies(10, large), o -> o.delay(Duration.ofHours(1)));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> sluice.jobs().counts().get(JobState.SCHEDULED) == 10);
      QueueInfo queue = sluice.queues().list().get(0);
      assertThat(queue.ready()).isEqualTo(JOBS);
      assertThat(queue.scheduled()).isEqualTo(10);
      assertThat(queue.oldestDue()).isPresent();
    }
  }
}
