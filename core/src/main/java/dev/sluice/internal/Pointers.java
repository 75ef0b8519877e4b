package dev.sluice.internal;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The dimensions of a task whose values are looked up in the JSON of a payload: a JSON pointer (RFC
 * 6901) for each.
 *
 * <p>They are looked up in the text that is stored, with a reader of their own: whatever mapper an
 * application has, every process finds the same value. Immutable.
 */
public final class Pointers {
  /** No dimension. */
  public static final Pointers NONE = new Pointers(Map.of());

  /** The longest pointer, in characters. */
  public static final int MAX_LENGTH = 500;

  // Numbers keep the digits they were written with: 1.10 is not 1.1.
  private static final ObjectMapper READER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private final Map<Group, JsonPointer> pointers = new TreeMap<>();

  private Pointers(Map<Group, String> texts) {
    texts.forEach((family, text) -> pointers.put(family, JsonPointer.compile(text)));
  }

  /**
   * These pointers, by the family of the dimension they are for.
   *
   * @throws InvalidRequestException if a key is no such family, or a pointer is none
   */
  public static Pointers of(Map<Group, String> pointers) {
    pointers.forEach(Pointers::require);
    return pointers.isEmpty() ? NONE : new Pointers(pointers);
  }

  /**
   * Checks a pointer.
   *
   * @throws InvalidRequestException if it is none, or the group is no family of a dimension
   */
  public static void require(Group family, String pointer) {
    if (!family.isDimension()) {
      throw new InvalidRequestException(
          "'%s' does not stand for every value of a dimension, and only such a family has a pointer. Name one, for example %s."
              .formatted(family, family.plain().anyValueOf("tenant")));
    }
    String wrong = whatIsWrong(pointer);
    if (wrong != null) {
      throw new InvalidRequestException(
          "The pointer '%s' of '%s' %s"
              .formatted(
                  pointer.length() > 80 ? pointer.substring(0, 80) + "…" : pointer, family, wrong));
    }
  }

  private static String whatIsWrong(String pointer) {
    if (pointer.isEmpty()) {
      return "is empty, which is the whole payload; name a place in it, for example /tenant.";
    } else if (pointer.charAt(0) != '/') {
      return "does not begin with a slash; write /tenant or /customer/id.";
    } else if (pointer.length() > MAX_LENGTH) {
      return "has %d characters; at most %d are allowed.".formatted(pointer.length(), MAX_LENGTH);
    } else if (pointer.matches("(?s).*~([^01].*)?")) {
      return "has a ~ that is not part of ~0 or ~1; in a name, write ~ as ~0 and / as ~1.";
    } else if (pointer.codePoints().anyMatch(Pointers::isUnstorable)) {
      return "holds a control character or half of a surrogate pair; such a name cannot be pointed to.";
    }
    return null;
  }

  private static boolean isUnstorable(int c) {
    return Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE;
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return pointers.isEmpty();
  }

  /** The pointers as text, by family. */
  public Map<Group, String> asMap() {
    Map<Group, String> texts = new TreeMap<>();
    pointers.forEach((family, pointer) -> texts.put(family, pointer.toString()));
    return Collections.unmodifiableMap(texts);
  }

  /**
   * The groups a payload puts its job in: one for each pointer to a text that is not empty, a
   * number or a boolean. A pointer to nothing, to null, to an object or to an array leaves the job
   * out of its dimension.
   *
   * @param payload JSON
   * @throws InvalidRequestException if a value is too long, or the payload is not JSON
   */
  public List<Group> groupsIn(String payload) {
    if (pointers.isEmpty()) {
      return List.of();
    }
    JsonNode tree;
    try {
      tree = READER.readTree(payload);
    } catch (JsonProcessingException e) {
      throw new InvalidRequestException(
          "The payload cannot be read to look up the values of %s: %s"
              .formatted(pointers.keySet(), e.getOriginalMessage()),
          e);
    }
    List<Group> groups = new ArrayList<>();
    pointers.forEach(
        (family, pointer) -> {
          JsonNode value = tree.at(pointer);
          if (value.isValueNode() && !value.isNull() && !value.asText().isEmpty()) {
            groups.add(family.value(value.asText()));
          }
        });
    return groups;
  }
}
