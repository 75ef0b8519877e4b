package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.InvalidRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads the payload argument: JSON itself, {@code @FILE}, or {@code -} for standard input. */
final class Payload {
  /** Numbers keep every digit: a payload is passed on, not computed with. */
  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private Payload() {}

  /**
   * The payload.
   *
   * @throws InvalidRequestException if it cannot be read or is not JSON; the message says where
   */
  static JsonNode read(String argument, InputStream in) {
    String source = "payload";
    String text = argument;
    try {
      if (argument.equals("-")) {
        source = "payload on standard input";
        text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } else if (argument.startsWith("@")) {
        source = "payload in " + argument.substring(1);
        text = Files.readString(Path.of(argument.substring(1)));
      }
      return parse(source, text);
    } catch (NoSuchFileException e) {
      throw new InvalidRequestException("The file of the " + source + " is not there.", e);
    } catch (IOException e) {
      throw new InvalidRequestException("The " + source + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static JsonNode parse(String source, String text) {
    try {
      JsonNode payload = STRICT.readTree(text);
      if (payload == null || payload.isMissingNode()) {
        throw new InvalidRequestException(
            "The " + source + " is empty; for no payload leave --payload away.");
      }
      return payload;
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      String where =
          at == null ? "" : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
      String hint =
          text.matches("[\\p{L}_][\\p{L}\\p{N}_ -]*")
              ? " A string needs its quotes, also from the shell: '\"" + text + "\"'."
              : "";
      throw new InvalidRequestException(
          "The %s is not JSON%s: %s.%s"
              .formatted(source, where, firstLine(e.getOriginalMessage()), hint),
          e);
    }
  }

  private static String firstLine(String message) {
    String line = message.lines().findFirst().orElse("");
    return line.length() > 200 ? line.substring(0, 200) + "…" : line;
  }
}
