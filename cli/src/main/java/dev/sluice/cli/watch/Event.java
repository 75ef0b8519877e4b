package dev.sluice.cli.watch;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Something that happened.
 *
 * @param at when
 * @param what in a word: what a {@link dev.sluice.WorkerBulletin.Event} says, {@code
 *     limit_changed}, {@code worker_started}, {@code worker_gone}, {@code dropped}
 * @param job the job, if it is about one
 * @param subject the task, the group or the name of the worker that it is about
 * @param worker the worker that said so, or nothing
 * @param detail more of it; may be empty
 */
public record Event(
    Instant at, String what, Optional<UUID> job, String subject, String worker, String detail) {
  /** For machines. */
  public Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("at", at.toString());
    map.put("what", what);
    job.ifPresent(id -> map.put("job", id.toString()));
    String key =
        job.isPresent() ? "task" : what.equals(EventFeed.LIMIT_CHANGED) ? "group" : "worker_name";
    if (!subject.isEmpty()) {
      map.put(key, subject);
    }
    if (!worker.isEmpty()) {
      map.put("worker", worker);
    }
    if (!detail.isEmpty()) {
      map.put("detail", detail);
    }
    return map;
  }
}
