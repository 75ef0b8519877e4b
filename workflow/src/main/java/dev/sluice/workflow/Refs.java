package dev.sluice.workflow;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.InvalidRequestException;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/**
 * References in the JSON of a definition: objects with one field, which are replaced by what they
 * refer to when a job is submitted.
 *
 * <ul>
 *   <li>{@code {"$input": "/order/id"}} is a part of the run's input, by JSON pointer; {@code ""}
 *       is all of it.
 *   <li>{@code {"$result": "charge"}} is the result of a step, {@code {"$result": "charge/id"}} a
 *       part of it. The result of a step over a list is the list of results. It is null if there is
 *       none.
 *   <li>{@code {"$item": ""}} is the element, in the input of a step over a list.
 * </ul>
 */
public final class Refs {
  private static final ObjectMapper MAPPER = JsonMapper.builder().build();

  static final String INPUT = "$input";
  static final String RESULT = "$result";
  static final String ITEM = "$item";

  private Refs() {}

  /** The run's input, or the part of it that the pointer names. */
  public static JsonNode input(String pointer) {
    return reference(INPUT, pointer);
  }

  /** The result of a step, or with {@code step/pointer} a part of it. */
  public static JsonNode result(String step) {
    return reference(RESULT, step);
  }

  /** The element, or a part of it, in a step over a list. */
  public static JsonNode item(String pointer) {
    return reference(ITEM, pointer);
  }

  private static ObjectNode reference(String kind, String to) {
    return JsonNodeFactory.instance.objectNode().put(kind, to);
  }

  /** Which kind of reference this is, or null if it is none. */
  static String kindOf(JsonNode node) {
    if (node.isObject() && node.size() == 1) {
      String field = node.fieldNames().next();
      if (field.equals(INPUT) || field.equals(RESULT) || field.equals(ITEM)) {
        return field;
      }
    }
    return null;
  }

  static String stepOf(String reference) {
    int slash = reference.indexOf('/');
    return slash < 0 ? reference : reference.substring(0, slash);
  }

  static String pointerOf(String reference) {
    int slash = reference.indexOf('/');
    return slash < 0 ? "" : reference.substring(slash);
  }

  private static JsonPointer pointer(String text) {
    try {
      return JsonPointer.compile(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(
          "'%s' is no JSON pointer; use \"\" for all of it, or /field/0 for a part".formatted(text),
          e);
    }
  }

  /**
   * Passes if every reference in this is one that can be followed.
   *
   * @param items whether there are elements to refer to
   * @throws InvalidRequestException with what is wrong
   */
  static void check(JsonNode node, boolean items) {
    String kind = kindOf(node);
    if (kind == null) {
      node.forEach(child -> check(child, items));
      return;
    }
    JsonNode to = node.get(kind);
    if (!to.isTextual()) {
      throw new InvalidRequestException("%s of %s is not a text".formatted(to, kind));
    }
    if (kind.equals(ITEM) && !items) {
      throw new InvalidRequestException("there is no element here that $item could mean");
    }
    pointer(kind.equals(RESULT) ? pointerOf(to.textValue()) : to.textValue());
  }

  /**
   * The same JSON as it would be read from its text. A builder may hold numbers in types that no
   * parser makes, and definitions are compared.
   */
  static JsonNode canonical(JsonNode node) {
    try {
      return MAPPER.readTree(node.toString());
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException("Not JSON: " + e.getOriginalMessage(), e);
    }
  }

  /** The names of the steps whose results this refers to. */
  public static Set<String> stepsIn(JsonNode node) {
    Set<String> steps = new TreeSet<>();
    collect(node, steps);
    return steps;
  }

  private static void collect(JsonNode node, Set<String> steps) {
    if (RESULT.equals(kindOf(node))) {
      steps.add(stepOf(node.get(RESULT).asText()));
    } else {
      node.forEach(child -> collect(child, steps));
    }
  }

  /** Whether it refers to anything. */
  static boolean any(JsonNode node) {
    if (kindOf(node) != null) {
      return true;
    }
    for (JsonNode child : node) {
      if (any(child)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The same JSON with every reference replaced.
   *
   * @param find what a kind ({@code $input}, {@code $result}, {@code $item}) and a name stand for
   */
  public static JsonNode resolve(JsonNode node, BiFunction<String, String, JsonNode> find) {
    String kind = kindOf(node);
    if (kind != null) {
      String reference = node.get(kind).asText();
      boolean ofStep = kind.equals(RESULT);
      JsonNode whole = find.apply(kind, ofStep ? stepOf(reference) : "");
      JsonNode part = whole.at(pointer(ofStep ? pointerOf(reference) : reference));
      return part.isMissingNode() ? JsonNodeFactory.instance.nullNode() : part;
    }
    if (node.isObject()) {
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      node.properties().forEach(field -> copy.set(field.getKey(), resolve(field.getValue(), find)));
      return copy;
    }
    if (node.isArray()) {
      var copy = JsonNodeFactory.instance.arrayNode(node.size());
      node.forEach(child -> copy.add(resolve(child, find)));
      return copy;
    }
    return node;
  }
}
