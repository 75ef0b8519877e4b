package dev.sluice.cli.demo;

import dev.sluice.Group;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The handlers' own record of when they started and ended, apart from anything the store believes.
 * Moments are {@link System#nanoTime}: one monotonic clock for all processes of a machine. Each
 * event is written at once, so that a killed process leaves what it did. Thread-safe.
 */
public final class EventFile implements AutoCloseable {
  private final OutputStream out;

  private EventFile(OutputStream out) {
    this.out = out;
  }

  /** Starts the record. */
  public static EventFile create(Path path) throws IOException {
    return new EventFile(Files.newOutputStream(path));
  }

  /** A handler in this group starts: read the clock before anything else of it happens. */
  public void started(Group group) throws IOException {
    write(System.nanoTime(), '+', group);
  }

  /** It has ended: call when nothing of it is left to do. */
  public void ended(Group group) throws IOException {
    write(System.nanoTime(), '-', group);
  }

  private void write(long nanos, char sign, Group group) throws IOException {
    byte[] line = (nanos + " " + sign + " " + group + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (out) {
      out.write(line);
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  /**
   * Something that happened.
   *
   * @param nanos when
   * @param change +1 = a handler started, -1 = it ended
   * @param group in which group
   */
  public record Event(long nanos, int change, Group group) {}

  /** Reads a record back; a last line cut short by a kill is left out. */
  public static List<Event> read(Path path) throws IOException {
    List<Event> events = new ArrayList<>();
    String text = Files.readString(path);
    String whole = text.substring(0, text.lastIndexOf('\n') + 1);
    for (String line : whole.lines().toList()) {
      String[] parts = line.split(" ", 3);
      events.add(
          new Event(
              Long.parseLong(parts[0]), parts[1].equals("+") ? 1 : -1, Group.parse(parts[2])));
    }
    return events;
  }
}
