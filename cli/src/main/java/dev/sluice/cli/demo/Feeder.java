package dev.sluice.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.JobInfo;
import dev.sluice.JobQuery;
import dev.sluice.JobState;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.cli.demo.Tally.Numbers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Keeps a bounded backlog of jobs in line, and clears away what is left of it. */
public final class Feeder {
  private static final int PAGE = 1_000;

  private final Sluice sluice;
  private final String queue;
  private final Map<DemoTask, Task<JsonNode>> tasks = new HashMap<>();
  private final Map<Group, Long> submitted = new HashMap<>();

  public Feeder(Sluice sluice, String queue) {
    this.sluice = sluice;
    this.queue = queue;
    for (DemoTask task : DemoTask.ALL) {
      tasks.put(task, task.task());
    }
  }

  /** Fills the line of each task up again. */
  public void fill(Map<Group, Numbers> numbers) {
    for (DemoTask task : DemoTask.ALL) {
      long first = task.groups().stream().mapToLong(g -> submitted.getOrDefault(g, 0L)).sum();
      long inLine = task.groups().stream().mapToLong(g -> unfinished(g, numbers)).sum();
      List<JsonNode> payloads = new ArrayList<>();
      for (long n = first; n < first + task.backlog() - inLine; n++) {
        payloads.add(task.payload(n));
      }
      sluice.submitAll(tasks.get(task), payloads, o -> o.queue(queue));
      payloads.forEach(payload -> submitted.merge(task.groupOf(payload), 1L, Long::sum));
    }
  }

  /** How many jobs of the group have not finished. */
  long unfinished(Group group, Map<Group, Numbers> numbers) {
    return submitted.getOrDefault(group, 0L) - numbers.getOrDefault(group, Numbers.NONE).done();
  }

  /**
   * Takes every unfinished job of the schema out of line, those of an earlier demo that was killed
   * included, and forgets the finished ones.
   */
  public static void clear(Sluice sluice) {
    Set<JobState> unfinished =
        Set.of(JobState.SCHEDULED, JobState.READY, JobState.WAITING, JobState.RUNNING);
    JobQuery query =
        new JobQuery(
            unfinished,
            JobQuery.ALL.task(),
            JobQuery.ALL.queue(),
            JobQuery.ALL.group(),
            JobQuery.ALL.text(),
            PAGE,
            "");
    while (true) {
      int cancelled = 0;
      for (JobInfo job : sluice.jobs().list(query).items()) {
        // A running one of a dead worker stays in the list until its lease is over.
        if (!job.progress().cancelRequested() && sluice.jobs().cancel(job.id())) {
          cancelled++;
        }
      }
      if (cancelled == 0) {
        break;
      }
    }
    sluice.jobs().purge(Duration.ZERO);
  }
}
