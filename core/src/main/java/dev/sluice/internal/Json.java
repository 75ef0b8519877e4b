package dev.sluice.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.sluice.InvalidRequestException;
import dev.sluice.PermanentFailure;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes payloads and results as JSON and reads them back, within a size bound. Never with
 * polymorphic typing.
 */
public final class Json {
  private final ObjectMapper mapper;
  private final int maxBytes;

  /** One for each class of payload: there are as many as the tasks of the process have. */
  private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();

  public Json(ObjectMapper mapper, int maxBytes) {
    this.mapper = mapper;
    this.maxBytes = maxBytes;
  }

  public ObjectMapper mapper() {
    return mapper;
  }

  public int maxBytes() {
    return maxBytes;
  }

  public static ObjectMapper newMapper() {
    return JsonMapper.builder()
        .addModule(new JavaTimeModule())
        .disable(
            SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
            SerializationFeature.FAIL_ON_EMPTY_BEANS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
  }

  /**
   * The value as JSON; {@code what} names it in the message when it is too large or cannot be
   * written.
   */
  public String write(String what, Object value) {
    String json;
    try {
      json = mapper.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException(
          "The " + what + " cannot be written as JSON: " + e.getOriginalMessage(), e);
    }
    int bytes =
        json.length() > maxBytes ? json.length() : json.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > maxBytes) {
      throw new InvalidRequestException(
          "The %s has %,d bytes of JSON; at most %,d are allowed. Store the data elsewhere and pass a reference, or raise maxPayloadBytes."
              .formatted(what, bytes, maxBytes));
    }
    return json;
  }

  /**
   * The payload read back. One that does not fit the class fails its job for good: trying again
   * would not help.
   */
  public <T> T read(String json, Class<T> type) {
    try {
      return readers.computeIfAbsent(type, mapper::readerFor).readValue(json);
    } catch (JsonProcessingException e) {
      throw new PermanentFailure(
          "The payload does not fit " + type.getName() + ": " + e.getOriginalMessage(), e);
    }
  }
}
