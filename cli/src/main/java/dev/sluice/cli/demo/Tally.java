package dev.sluice.cli.demo;

import dev.sluice.Group;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many handlers of one process run and how many have ended, by group; sent to the demo as a
 * line of text. Thread-safe.
 */
public final class Tally {
  private final Map<Group, AtomicInteger> running = new ConcurrentHashMap<>();
  private final Map<Group, AtomicInteger> done = new ConcurrentHashMap<>();

  /** A handler starts. */
  public void started(Group group) {
    running.computeIfAbsent(group, g -> new AtomicInteger()).incrementAndGet();
  }

  /** A handler has ended. */
  public void ended(Group group) {
    done.computeIfAbsent(group, g -> new AtomicInteger()).incrementAndGet();
    running.get(group).decrementAndGet();
  }

  /** The numbers as a line. */
  public String line() {
    StringBuilder line = new StringBuilder();
    new TreeMap<>(running)
        .forEach(
            (group, count) ->
                line.append(line.isEmpty() ? "" : "\t")
                    .append(count)
                    .append(' ')
                    .append(done.getOrDefault(group, new AtomicInteger()))
                    .append(' ')
                    .append(group));
    return line.toString();
  }

  /** Reads a line back: running and done by group. */
  static Map<Group, Numbers> read(String line) {
    Map<Group, Numbers> numbers = new TreeMap<>();
    if (!line.isEmpty()) {
      for (String part : line.split("\t")) {
        String[] words = part.split(" ", 3);
        numbers.put(
            Group.parse(words[2]),
            new Numbers(Integer.parseInt(words[0]), Integer.parseInt(words[1])));
      }
    }
    return numbers;
  }

  /** What a process does and has done in a group. */
  public record Numbers(int running, int done) {
    static final Numbers NONE = new Numbers(0, 0);

    Numbers plus(Numbers other) {
      return new Numbers(running + other.running, done + other.done);
    }
  }
}
