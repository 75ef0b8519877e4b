package dev.sluice.object.state;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.StoreIncompatibleException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reads and writes the JSON objects that a store consists of. */
public final class Documents {
  /** The version of the layout, in every object; a newer one is refused. */
  public static final int FORMAT = 1;

  private static final ObjectMapper MAPPER = JsonMapper.builder().build();
  private static final JsonFactory FACTORY = MAPPER.getFactory();

  private Documents() {}

  /** Writes the fields of an object. */
  @FunctionalInterface
  public interface Writer {
    /** Writes fields. */
    void write(JsonGenerator json) throws IOException;
  }

  /** A JSON object with the format's version and these fields. */
  public static byte[] write(Writer fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(1_024);
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberField("format", FORMAT);
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory failed", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads an object.
   *
   * @param key where it was found, for messages
   * @throws StoreIncompatibleException if it is not what was written there, or written by a newer
   *     version
   */
  public static <T> T read(String key, byte[] body, Function<JsonNode, T> reader) {
    JsonNode json;
    try {
      json = MAPPER.readTree(body);
    } catch (IOException e) {
      throw unreadable(key, e);
    }
    if (json == null || !json.path("format").isInt()) {
      throw unreadable(key, null);
    }
    if (json.path("format").intValue() > FORMAT) {
      throw new StoreIncompatibleException(
          "The object '%s' has format %d, and this version of Sluice knows up to %d. Upgrade this process."
              .formatted(key, json.path("format").intValue(), FORMAT));
    }
    try {
      return reader.apply(json);
    } catch (IllegalArgumentException | NullPointerException | ClassCastException e) {
      throw unreadable(key, e);
    }
  }

  private static StoreIncompatibleException unreadable(String key, Exception cause) {
    return new StoreIncompatibleException(
        "The object '%s' is not what Sluice writes there. Restore it from a backup; if something else writes to this place, name another prefix."
            .formatted(key),
        cause);
  }

  /** The text, with half surrogate pairs replaced: JSON in UTF-8 cannot hold them. */
  public static String storable(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
      }
    }
    return text;
  }

  static void writeText(JsonGenerator json, String name, String text) throws IOException {
    if (text != null) {
      json.writeStringField(name, storable(text));
    }
  }

  static void writeNumber(JsonGenerator json, String name, Number number) throws IOException {
    if (number != null) {
      json.writeNumberField(name, number.longValue());
    }
  }

  static String text(JsonNode json, String name) {
    JsonNode value = json.get(name);
    return value == null || value.isNull() ? null : value.textValue();
  }

  static Long number(JsonNode json, String name) {
    JsonNode value = json.get(name);
    return value == null || value.isNull() ? null : (Long) value.longValue();
  }

  static Integer integer(JsonNode json, String name) {
    Long value = number(json, name);
    return value == null ? null : (Integer) Math.toIntExact(value);
  }

  /** A list of texts. */
  public static void writeTexts(JsonGenerator json, String name, Iterable<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(storable(text));
    }
    json.writeEndArray();
  }

  /** Reads a list of texts. */
  public static List<String> readTexts(JsonNode json) {
    List<String> texts = new ArrayList<>();
    json.forEach(text -> texts.add(text.textValue()));
    return List.copyOf(texts);
  }
}
