package dev.sluice.server.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.sluice.server.view.Maybe;
import dev.sluice.server.view.Problem;
import dev.sluice.server.view.ViewJson;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * What was sent along, as JSON.
 *
 * @param bytes all of it
 */
record RequestBody(byte[] bytes) {
  /** Nothing. */
  static final RequestBody NONE = new RequestBody(new byte[0]);

  <T> T as(Class<T> type) throws IOException {
    if (bytes.length == 0) {
      throw Problem.badRequest("The body is empty; send JSON.");
    }
    try {
      T value = ViewJson.MAPPER.readValue(bytes, type);
      if (value == null || (value instanceof JsonNode json && json.isMissingNode())) {
        throw Problem.badRequest("The body is empty or null; send a JSON object.");
      }
      requireAll(value);
      return value;
    } catch (JsonProcessingException e) {
      throw Problem.badRequest(explain(e));
    }
  }

  private static void requireAll(Object value) {
    if (!value.getClass().isRecord()) {
      return;
    }
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      try {
        if (!component.isAnnotationPresent(Maybe.class)
            && component.getAccessor().invoke(value) == null) {
          throw Problem.badRequest(
              "'%s' is missing."
                  .formatted(SnakeCaseStrategy.INSTANCE.translate(component.getName())));
        }
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException("A record hides " + component, e);
      }
    }
  }

  /** What is wrong and where, without the classes that found it. */
  private static String explain(JsonProcessingException e) {
    if (e instanceof UnrecognizedPropertyException unknown) {
      return "There is no key '%s'%s; known are: %s."
          .formatted(
              unknown.getPropertyName(),
              at(unknown, 1),
              unknown.getKnownPropertyIds().stream()
                  .map(String::valueOf)
                  .sorted()
                  .collect(Collectors.joining(", ")));
    }
    if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
      if (e.getCause() instanceof InputCoercionException) {
        return "The value of '%s' is out of range; whole numbers go from %d to %d."
            .formatted(path(mapping, 0), Integer.MIN_VALUE, Integer.MAX_VALUE);
      }
      return "The value of '%s' is not of the right type%s."
          .formatted(path(mapping, 0), choices(mapping));
    }
    return "The body is not JSON: line %d, column %d."
        .formatted(
            e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
            e.getLocation() == null ? 1 : e.getLocation().getColumnNr());
  }

  private static String choices(JsonMappingException e) {
    if (e instanceof com.fasterxml.jackson.databind.exc.InvalidFormatException format
        && format.getTargetType() != null
        && format.getTargetType().isEnum()) {
      return "; use one of: "
          + Arrays.stream(format.getTargetType().getEnumConstants())
              .map(Object::toString)
              .collect(Collectors.joining(", "));
    }
    return "";
  }

  private static String at(JsonMappingException e, int without) {
    String path = path(e, without);
    return path.isEmpty() ? "" : " in '" + path + "'";
  }

  private static String path(JsonMappingException e, int without) {
    return e.getPath().stream()
        .limit(Math.max(0, e.getPath().size() - without))
        .map(r -> r.getFieldName() == null ? "[" + r.getIndex() + "]" : r.getFieldName())
        .collect(Collectors.joining("."));
  }
}
