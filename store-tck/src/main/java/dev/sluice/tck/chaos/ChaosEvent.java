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
 * @param lease what the worker then knew of its lease
 */
record ChaosEvent(Kind kind, UUID job, long token, String group, long at, Lease lease) {
  /**
   * A worker's lease as the worker saw it when it wrote a line.
   *
   * @param pid the worker's process
   * @param worker the worker's id, another one under each lease
   * @param until until when the worker was sure of its lease; the time of the line if it was not
   */
  record Lease(long pid, String worker, long until) {}

  enum Kind {
    /** The handler began. */
    START,
    /** The handler ended by itself. */
    END,
    /** The handler was interrupted, and ended. */
    INTERRUPT,
    /** The handler failed. */
    FAILURE,
    /** The store accepted the success. */
    ACCEPTED
  }

  static ChaosEvent now(Kind kind, JobContext context, String group) {
    long at = System.nanoTime();
    long until = at + context.leaseRemaining().toNanos();
    Lease lease = new Lease(ProcessHandle.current().pid(), context.workerId(), until);
    return new ChaosEvent(kind, context.jobId(), context.fencingToken(), group, at, lease);
  }

  long pid() {
    return lease.pid();
  }

  /** Whether the worker could still be sure of its lease. */
  boolean hasLease() {
    return lease.until() > at;
  }

  String toLine() {
    return "%s %s %d %s %d %d %s %d%n"
        .formatted(kind, job, token, group, at, pid(), lease.worker(), lease.until());
  }

  /** Every whole line of every log in a directory. */
  static List<ChaosEvent> readAll(Path directory) {
    List<ChaosEvent> events = new ArrayList<>();
    try (var files = Files.newDirectoryStream(directory, "*" + ChaosProcess.EVENTS)) {
      for (Path file : files) {
        events.addAll(read(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return events;
  }

  /** Every whole line of a log. */
  static List<ChaosEvent> read(Path file) throws IOException {
    List<ChaosEvent> events = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split(" ");
      if (fields.length == 8) {
        events.add(
            new ChaosEvent(
                Kind.valueOf(fields[0]),
                UUID.fromString(fields[1]),
                Long.parseLong(fields[2]),
                fields[3],
                Long.parseLong(fields[4]),
                new Lease(Long.parseLong(fields[5]), fields[6], Long.parseLong(fields[7]))));
      }
    }
    return events;
  }
}
