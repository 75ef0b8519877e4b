package dev.sluice.server.api;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import dev.sluice.server.view.Maybe;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * JSON schemas of views and requests, made from the records themselves: what is written and what
 * the document says cannot differ.
 */
final class Schemas {
  private final Map<String, Object> named = new TreeMap<>();

  /** The schemas of all records met so far, by name. */
  Map<String, Object> named() {
    return named;
  }

  /** A reference to a record's schema, or the schema of anything else. */
  Map<String, Object> of(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      return generic(parameterized);
    }
    Class<?> raw = (Class<?>) type;
    if (raw.isRecord()) {
      return reference(raw);
    } else if (raw.isEnum()) {
      return map(
          "type",
          "string",
          "enum",
          Arrays.stream(raw.getEnumConstants()).map(Object::toString).toList());
    }
    return simple(raw);
  }

  private Map<String, Object> generic(ParameterizedType type) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (Collection.class.isAssignableFrom(raw)) {
      return map("type", "array", "items", of(arguments[0]));
    }
    if (Map.class.isAssignableFrom(raw)) {
      return map("type", "object", "additionalProperties", of(arguments[1]));
    }
    throw new IllegalArgumentException("No schema for " + type);
  }

  private static Map<String, Object> simple(Class<?> type) {
    if (type == String.class) {
      return map("type", "string");
    } else if (type == Instant.class) {
      return map("type", "string", "format", "date-time");
    } else if (type == UUID.class) {
      return map("type", "string", "format", "uuid");
    } else if (type == boolean.class || type == Boolean.class) {
      return map("type", "boolean");
    } else if (type == double.class || type == Double.class) {
      return map("type", "number");
    } else if (type == int.class || type == Integer.class) {
      return map("type", "integer", "format", "int32");
    } else if (type == long.class || type == Long.class) {
      return map("type", "integer", "format", "int64");
    } else if (type == JsonNode.class || type == Object.class) {
      return map("description", "Any JSON.");
    }
    throw new IllegalArgumentException("No schema for " + type);
  }

  private Map<String, Object> reference(Class<?> type) {
    String name = name(type);
    if (!named.containsKey(name)) {
      named.put(name, Map.of());
      named.put(name, object(type));
    }
    return map("$ref", "#/components/schemas/" + name);
  }

  /** Records inside others are named after both: many views have a {@code Content}. */
  static String name(Class<?> type) {
    String own = type.getSimpleName().replaceAll("View$", "");
    Class<?> outer = type.getEnclosingClass();
    return outer == null || outer.getSimpleName().endsWith("Routes") ? own : name(outer) + own;
  }

  private Map<String, Object> object(Class<?> type) {
    Map<String, Object> properties = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    boolean open = collect(type, true, properties, required);
    Map<String, Object> schema = map("type", "object", "properties", properties);
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    schema.put("additionalProperties", open);
    return schema;
  }

  private boolean collect(
      Class<?> type, boolean always, Map<String, Object> properties, List<String> required) {
    boolean open = false;
    for (RecordComponent component : type.getRecordComponents()) {
      boolean there = always && !component.isAnnotationPresent(Maybe.class);
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        open |= collect(component.getType(), there, properties, required);
      } else if (component.getAccessor().isAnnotationPresent(JsonAnyGetter.class)) {
        open = true;
      } else {
        String name = SnakeCaseStrategy.INSTANCE.translate(component.getName());
        properties.put(name, of(component.getGenericType()));
        if (there) {
          required.add(name);
        }
      }
    }
    return open;
  }

  /** A page of these. */
  Map<String, Object> page(Class<?> type) {
    return map(
        "type",
        "object",
        "properties",
        map(
            "items",
            map("type", "array", "items", of(type)),
            "next",
            map("type", "string", "description", "The cursor of the next page, if there is one.")),
        "required",
        List.of("items"),
        "additionalProperties",
        false);
  }

  static Map<String, Object> map(Object... keysAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }
}
