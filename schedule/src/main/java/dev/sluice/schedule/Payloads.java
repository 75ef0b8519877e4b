package dev.sluice.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.InvalidRequestException;
import java.nio.charset.StandardCharsets;

/** Writes payloads of schedules as JSON, within the bound that holds for every job. */
final class Payloads {
  private final ObjectMapper mapper;
  private final int maxBytes;

  Payloads(ObjectMapper mapper, int maxBytes) {
    this.mapper = mapper;
    this.maxBytes = maxBytes;
  }

  /** The same schedule with its payload as it will be read back. */
  ScheduleSpec written(ScheduleSpec spec) {
    try {
      String json =
          spec.payload() instanceof JsonNode node
              ? node.toString()
              : mapper.writeValueAsString(spec.payload());
      int bytes = json.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > maxBytes) {
        throw new InvalidRequestException(
            "The payload of the schedule '%s' has %,d bytes of JSON; at most %,d are allowed. Store the data elsewhere and pass a reference."
                .formatted(spec.name(), bytes, maxBytes));
      }
      return spec.payload(ScheduleText.MAPPER.readTree(json));
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException(
          "The payload of the schedule '%s' cannot be written as JSON: %s"
              .formatted(spec.name(), e.getOriginalMessage()),
          e);
    }
  }
}
