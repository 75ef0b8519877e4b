package dev.sluice.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.JobInfo;
import dev.sluice.Sluice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Schedulers that are killed for real, at any line, while others go on. */
class KilledSchedulersIT {
  private static final int PROCESSES = 2;
  private static final int KILLS = 6;
  private static final int SCHEDULES = 20;

  @Test
  void killedAtAnyLine_eachOccurrenceIsSubmittedOnce() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    String url = "embedded:" + PostgresSchedulesIT.SERVER.dataDirectory();
    List<Process> processes = new ArrayList<>();
    try (Stage stage = new Stage(url)) {
      Sluice sluice = stage.open();
      Schedules schedules = Schedules.on(sluice);
      for (int i = 0; i < SCHEDULES; i++) {
        // Most of the time somebody is between a submit and the note.
        schedules.create(ScheduleSpec.every("s" + i, "task-" + i, Duration.ofSeconds(1)));
      }
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(SchedulerProcess.start(url, stage.schema()));
      }
      for (int kill = 0; kill < KILLS; kill++) {
        int seen = Stage.jobs(sluice, "task-0").size();
        Stage.await().until(() -> Stage.jobs(sluice, "task-0").size() > seen);
        TimeUnit.MILLISECONDS.sleep(random.nextLong(50));
        processes.remove(0).destroyForcibly().waitFor();
        processes.add(SchedulerProcess.start(url, stage.schema()));
      }
      int seen = Stage.jobs(sluice, "task-0").size();
      Stage.await().until(() -> Stage.jobs(sluice, "task-0").size() > seen + 1);
      end(processes);
      for (int i = 0; i < SCHEDULES; i++) {
        List<Instant> found =
            Stage.jobs(sluice, "task-" + i).stream()
                .map(JobInfo::spec)
                .map(spec -> spec.schedule().runAt())
                .toList();
        Instant first = found.get(0);
        assertThat(found)
            .containsExactlyElementsOf(
                IntStream.range(0, found.size()).mapToObj(n -> first.plusSeconds(n)).toList());
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  private static void end(List<Process> processes) throws Exception {
    for (Process process : processes) {
      process.getOutputStream().close();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
