package dev.sluice.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.WorkerBulletin;
import dev.sluice.WorkerBulletin.Event;
import dev.sluice.WorkerBulletin.Load;
import dev.sluice.WorkerBulletin.Tally;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bulletins as text. Always written in the same way, whatever the program's own mapper does: they
 * are read by processes of other programs and versions.
 */
final class BulletinJson {
  private static final Logger log = LoggerFactory.getLogger(BulletinJson.class);
  private static final ObjectMapper MAPPER = Json.newMapper();

  private record Text(
      Instant since,
      Instant at,
      Load load,
      Tally tally,
      List<EventText> events,
      Map<String, JsonNode> notices) {}

  /** An event whose job may be null. */
  private record EventText(
      long number, Instant at, String what, UUID job, String task, String detail) {
    static EventText of(Event event) {
      return new EventText(
          event.number(),
          event.at(),
          event.what(),
          event.job().orElse(null),
          event.task(),
          event.detail());
    }

    Event event() {
      return new Event(number, at, what, Optional.ofNullable(job), orEmpty(task), orEmpty(detail));
    }

    private static String orEmpty(String text) {
      return text == null ? "" : text;
    }
  }

  private BulletinJson() {}

  static String write(WorkerBulletin bulletin) {
    Text text =
        new Text(
            bulletin.since(),
            bulletin.at(),
            bulletin.load(),
            bulletin.tally(),
            bulletin.events().stream().map(EventText::of).toList(),
            bulletin.notices());
    try {
      return MAPPER.writeValueAsString(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A bulletin can always be written.", e);
    }
  }

  /** Empty if the text is not a bulletin that this version understands. */
  static Optional<WorkerBulletin> read(String json) {
    try {
      Text text = MAPPER.readValue(json, Text.class);
      if (text == null || text.since == null || text.at == null || text.load == null) {
        return Optional.empty();
      }
      return Optional.of(
          new WorkerBulletin(
              text.since,
              text.at,
              text.load,
              complete(text.tally),
              text.events == null ? List.of() : text.events.stream().map(EventText::event).toList(),
              text.notices == null ? Map.of() : text.notices));
    } catch (JsonProcessingException | RuntimeException e) {
      log.debug("A worker's bulletin cannot be read and is left out.", e);
      return Optional.empty();
    }
  }

  private static Tally complete(Tally tally) {
    return tally == null
        ? new Tally(Map.of(), Map.of())
        : new Tally(
            tally.tasks() == null ? Map.of() : tally.tasks(),
            tally.groups() == null ? Map.of() : tally.groups());
  }
}
