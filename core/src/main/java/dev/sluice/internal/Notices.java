package dev.sluice.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the program adds to the bulletins of its worker. One thread's own. */
final class Notices {
  private static final Logger log = LoggerFactory.getLogger(Notices.class);

  /** The largest notice, in characters of JSON. */
  static final int LONGEST = 16 * 1_024;

  private final Map<String, Supplier<?>> suppliers;
  private final ObjectMapper mapper;
  private final Set<String> complainedAbout = new HashSet<>();

  Notices(Map<String, Supplier<?>> suppliers, ObjectMapper mapper) {
    this.suppliers = suppliers;
    this.mapper = mapper;
  }

  /** Asks for all of them; those that fail or are too large are left out. */
  Map<String, JsonNode> read() {
    Map<String, JsonNode> notices = new TreeMap<>();
    suppliers.forEach(
        (name, supplier) -> read(name, supplier).ifPresent(json -> notices.put(name, json)));
    return notices;
  }

  private Optional<JsonNode> read(String name, Supplier<?> supplier) {
    try {
      JsonNode json = mapper.valueToTree(supplier.get());
      if (json.toString().length() <= LONGEST) {
        return Optional.of(json);
      }
      complain(name, "it has more than " + LONGEST + " characters of JSON", null);
    } catch (RuntimeException | LinkageError | AssertionError e) {
      complain(name, "it cannot be had", e);
    }
    return Optional.empty();
  }

  private void complain(String name, String why, Throwable cause) {
    if (complainedAbout.add(name)) {
      log.warn("The notice '{}' is left out of the worker's bulletins: {}.", name, why, cause);
    }
  }
}
