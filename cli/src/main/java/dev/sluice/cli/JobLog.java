package dev.sluice.cli;

import dev.sluice.JobContext;
import dev.sluice.WorkerListener;
import dev.sluice.cli.text.Durations;
import dev.sluice.cli.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Says what becomes of each job: on standard error for people, as JSON on standard output. */
final class JobLog implements WorkerListener {
  private final SluiceCommand root;

  JobLog(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public void onStart(JobContext job) {
    say(job, "started", "");
  }

  @Override
  public void onSuccess(JobContext job, Duration took) {
    say(job, "succeeded", "in " + Durations.format(took));
  }

  @Override
  public void onFailure(JobContext job, Throwable failure, boolean willRetry) {
    say(job, willRetry ? "retrying" : "failed", String.valueOf(failure.getMessage()));
  }

  @Override
  public void onLeaseLost(String workerId, int interruptedJobs) {
    root.remark(
        Printable.of(
            "Worker %s lost its lease; %d commands were ended."
                .formatted(workerId, interruptedJobs)));
  }

  private void say(JobContext job, String event, String detail) {
    if (root.json()) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("event", event);
      map.put("job", job.jobId().toString());
      map.put("task", job.task());
      map.put("attempt", job.attempt());
      map.put("detail", detail);
      root.sayJson(map);
    } else {
      root.remark(
          Printable.message(
              "%s %s %s #%d %s %s"
                  .formatted(
                      root.times().timeOfDay(Instant.now()),
                      job.jobId(),
                      Printable.of(job.task()),
                      job.attempt(),
                      event,
                      detail)));
    }
  }
}
