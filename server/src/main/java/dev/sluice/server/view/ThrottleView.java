package dev.sluice.server.view;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** A throttle of a worker, as the worker's notice of that name has it. */
public record ThrottleView(
    String name, int limit, int inFlight, int queued, long succeeded, long failed) {

  /** Those of a notice; null without one, and without what does not look like a throttle. */
  static List<ThrottleView> listOf(JsonNode notice) {
    if (notice == null || !notice.isArray()) {
      return null;
    }
    List<ThrottleView> throttles = new ArrayList<>();
    for (JsonNode line : notice) {
      if (line.path("name").isTextual()) {
        throttles.add(
            new ThrottleView(
                line.path("name").asText(),
                line.path("limit").asInt(),
                // The worker's own mapper has written it, in whichever way it writes names.
                line.path(line.has("in_flight") ? "in_flight" : "inFlight").asInt(),
                line.path("queued").asInt(),
                line.path("succeeded").asLong(),
                line.path("failed").asLong()));
      }
    }
    return throttles;
  }
}
