package dev.sluice.cli;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.sluice.Group;
import dev.sluice.JobFailure;
import dev.sluice.JobInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Jobs as JSON for machines: names with underscores, times in UTC, absent = null. */
final class JobJson {
  private JobJson() {}

  /** What a list shows. */
  static Map<String, Object> summary(JobInfo job) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", job.id().toString());
    map.put("task", job.task());
    map.put("state", job.state().toString());
    map.put("queue", job.spec().queue());
    map.put("priority", job.spec().priority());
    map.put("attempt", job.progress().attempt());
    map.put("groups", job.spec().groups().stream().map(Group::toString).toList());
    map.put("submitted_at", job.spec().schedule().submittedAt().toString());
    map.put("run_at", job.spec().schedule().runAt().toString());
    map.put("started_at", job.progress().startedAt().map(Instant::toString).orElse(null));
    map.put("finished_at", job.outcome().finishedAt().map(Instant::toString).orElse(null));
    map.put("worker", job.progress().workerId().orElse(null));
    map.put("result", job.outcome().result().map(RawValue::new).orElse(null));
    map.put("error", job.lastFailure().map(JobFailure::message).orElse(null));
    return map;
  }

  /** Everything. */
  static Map<String, Object> full(JobInfo job) {
    Map<String, Object> map = summary(job);
    map.put("payload", new RawValue(job.spec().payload()));
    map.put("timeout_ms", job.spec().schedule().timeout().map(Duration::toMillis).orElse(null));
    map.put("dedupe_key", job.spec().schedule().dedupeKey().orElse(null));
    map.put("note", job.progress().note().orElse(null));
    map.put("cancel_requested", job.progress().cancelRequested());
    map.put("failures", job.failures().stream().map(JobJson::failure).toList());
    return map;
  }

  private static Map<String, Object> failure(JobFailure failure) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("attempt", failure.attempt());
    map.put("at", failure.at().toString());
    map.put("type", failure.type());
    map.put("message", failure.message());
    map.put("stack_trace", failure.stackTrace());
    return map;
  }
}
