package dev.sluice.tck.chaos;

import dev.sluice.JobContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A line in a worker's log.
 *
 * @param kind what happened
 * @param job to which job
 * @param token under which fencing token
 * @param group the task's name, or for keyed jobs the name with the key
 * @param at when, on the monotonic clock that all processes of a machine share
 * @param pid in which process
 */
record ChaosEvent(Kind kind, UUID job, long token, String group, long at, long pid) {
  enum Kind {
    /** The handler began. */
    START,
    /** The handler ended by itself. */
    END,
    /** The handler was interrupted, and ended. */
    INTERRUPT,
    /** The store accepted the success. */
    ACCEPTED
  }

  static ChaosEvent now(Kind kind, JobContext context, String group) {
    return new ChaosEvent(
        kind,
        context.jobId(),
        context.fencingToken(),
        group,
        System.nanoTime(),
        ProcessHandle.current().pid());
  }

  String toLine() {
    return "%s %s %d %s %d %d%n".formatted(kind, job, token, group, at, pid);
  }

  /** Every whole line of every log in a directory. */
  static List<ChaosEvent> readAll(Path directory) {
    List<ChaosEvent> events = new ArrayList<>();
    try (var files = Files.newDirectoryStream(directory, "*.events")) {
      for (Path file : files) {
        for (String line : Files.readAllLines(file)) {
          String[] fields = line.split(" ");
          if (fields.length == 6) {
            events.add(
                new ChaosEvent(
                    Kind.valueOf(fields[0]),
                    UUID.fromString(fields[1]),
                    Long.parseLong(fields[2]),
                    fields[3],
                    Long.parseLong(fields[4]),
                    Long.parseLong(fields[5])));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return events;
  }
}
