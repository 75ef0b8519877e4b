package dev.sluice.cli.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.schedule.ScheduleJson;
import dev.sluice.schedule.ScheduleSpec;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A schedule as it stands in a file.
 *
 * @param name its name
 * @param json what is said of it
 * @param file the file
 * @param where the file and line
 */
public record ConfiguredSchedule(String name, ObjectNode json, Path file, String where) {
  /**
   * What it is to do.
   *
   * @throws dev.sluice.InvalidRequestException if it is not a schedule
   */
  public ScheduleSpec spec() {
    return ScheduleJson.parse(name, json);
  }

  /** What is said as text or number under this key. */
  public Optional<String> text(String key) {
    return Optional.ofNullable(json.get(key)).map(node -> node.asText());
  }
}
