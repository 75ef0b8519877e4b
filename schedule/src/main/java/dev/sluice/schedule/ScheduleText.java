package dev.sluice.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.schedule.ScheduleInfo.Last;
import dev.sluice.schedule.ScheduleInfo.Outcome;
import dev.sluice.spi.ScheduleStore.Entry;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** A schedule as the text that stores keep. */
final class ScheduleText {
  private static final int VERSION = 1;

  /** Numbers keep every digit: a payload is passed on, not computed with. */
  static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private ScheduleText() {}

  static String write(Schedule schedule) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("version", VERSION);
    json.set("spec", ScheduleJson.spec(schedule.spec()));
    json.put("source", schedule.source());
    json.put("incarnation", schedule.incarnation().toString());
    json.put("paused", schedule.paused());
    schedule
        .times()
        .ifPresent(
            times -> {
              json.put("created", times.created().toString());
              json.put("anchor", times.anchor().toString());
              times.next().ifPresent(next -> json.put("next", next.toString()));
            });
    schedule.last().ifPresent(last -> json.set("last", ScheduleJson.last(last)));
    return json.toString();
  }

  /**
   * Reads it back.
   *
   * @throws StoreIncompatibleException if a newer version has written it, or nobody has
   */
  static Schedule read(Entry entry) {
    try {
      JsonNode json = MAPPER.readTree(entry.text());
      if (json.path("version").asInt() != VERSION) {
        throw new StoreIncompatibleException(
            "The schedule '%s' was written by a newer version of Sluice. Use that version, or delete the schedule."
                .formatted(entry.name()));
      }
      return new Schedule(
          new SpecReader(entry.name(), json.path("spec")).read(),
          json.path("source").asText(),
          UUID.fromString(json.path("incarnation").asText()),
          json.has("created") ? Optional.of(times(json)) : Optional.empty(),
          json.path("paused").asBoolean(),
          json.has("last") ? Optional.of(last(json.get("last"))) : Optional.empty());
    } catch (StoreIncompatibleException e) {
      throw e;
    } catch (JsonProcessingException | RuntimeException e) {
      throw new StoreIncompatibleException(
          "The schedule '%s' cannot be read: %s Delete it and create it again."
              .formatted(entry.name(), e.getMessage()),
          e);
    }
  }

  private static Schedule.Times times(JsonNode json) {
    return new Schedule.Times(
        Instant.parse(json.path("created").asText()),
        Instant.parse(json.path("anchor").asText()),
        text(json, "next").map(Instant::parse));
  }

  private static Last last(JsonNode json) {
    return new Last(
        Instant.parse(json.path("occurrence").asText()),
        Instant.parse(json.path("at").asText()),
        Outcome.valueOf(json.path("outcome").asText().toUpperCase(Locale.ROOT)),
        text(json, "job").map(UUID::fromString),
        text(json, "message"));
  }

  private static Optional<String> text(JsonNode json, String key) {
    return Optional.ofNullable(json.get(key)).map(JsonNode::asText);
  }
}
