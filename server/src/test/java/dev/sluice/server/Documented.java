package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;

/** The document of the server, to which every answer a test gets is held. */
final class Documented {
  private final JsonNode document;
  private final Set<String> answered = new ConcurrentSkipListSet<>();

  Documented(JsonNode document) {
    this.document = document;
  }

  /** Every operation: {@code get /api/v1/jobs}. */
  Set<String> operations() {
    Set<String> operations = new TreeSet<>();
    document
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(method -> operations.add(method + " " + path.getKey())));
    return operations;
  }

  /** The operations that have answered with what they promise when all goes well. */
  Set<String> answered() {
    return answered;
  }

  /** Checks an answer; one to what is not documented must be a problem. */
  void check(String method, String path, ServerFixture.Reply reply) {
    if (method.equals("HEAD")) {
      return;
    }
    String type = reply.header("Content-Type").replaceFirst(";.*", "");
    if (reply.status() >= 400) {
      assertThat(type).as("%s %s", method, path).isEqualTo("application/problem+json");
      check(document.at("/components/schemas/Problem"), reply.json(), "problem of " + path);
      assertThat(reply.json().get("status").asInt()).isEqualTo(reply.status());
      return;
    }
    String operation = find(method, path);
    if (operation == null) {
      assertThat(path).as("documented").doesNotStartWith("/api");
      return;
    }
    String[] parts = operation.split(" ", 2);
    JsonNode replies = document.get("paths").get(parts[1]).get(parts[0]).get("responses");
    JsonNode promised = replies.get(String.valueOf(reply.status()));
    assertThat(promised).as("%s answers %d", operation, reply.status()).isNotNull();
    answered.add(operation);
    JsonNode content = promised.get("content");
    if (content == null) {
      assertThat(reply.response().body()).as(operation).isEmpty();
      return;
    }
    String promisedType = content.fieldNames().next();
    assertThat(type).as(operation).isEqualTo(promisedType.replaceFirst(";.*", ""));
    if (type.equals("application/json") && !path.startsWith("/api/v1/openapi.json")) {
      check(content.get(promisedType).get("schema"), reply.json(), operation);
    }
  }

  private String find(String method, String path) {
    String plain = path.replaceFirst("\\?.*", "");
    // The template with the fewest parameters first: /jobs/batch is no /jobs/{id}.
    return operations().stream()
        .filter(operation -> operation.startsWith(method.toLowerCase(Locale.ROOT) + " "))
        .filter(
            operation ->
                Pattern.matches(operation.split(" ", 2)[1].replaceAll("\\{\\w+}", "[^/]+"), plain))
        .min((a, b) -> Integer.compare(a.split("\\{").length, b.split("\\{").length))
        .orElse(null);
  }

  private void check(JsonNode schema, JsonNode value, String where) {
    if (schema.has("$ref")) {
      check(document.at(schema.get("$ref").asText().substring(1)), value, where);
      return;
    }
    if (!schema.has("type")) {
      return;
    }
    assertThat(value).as(where).isNotNull();
    switch (schema.get("type").asText()) {
      case "object" -> object(schema, value, where);
      case "array" -> {
        assertThat(value.isArray()).as(where).isTrue();
        for (int i = 0; i < value.size(); i++) {
          check(schema.get("items"), value.get(i), where + "[" + i + "]");
        }
      }
      case "string" -> string(schema, value, where);
      case "integer" -> assertThat(value.isIntegralNumber()).as(where).isTrue();
      case "number" -> assertThat(value.isNumber()).as(where).isTrue();
      case "boolean" -> assertThat(value.isBoolean()).as(where).isTrue();
      default -> throw new AssertionError("No such type: " + schema);
    }
  }

  private static void string(JsonNode schema, JsonNode value, String where) {
    assertThat(value.isTextual()).as(where).isTrue();
    if (schema.has("enum")) {
      assertThat(schema.get("enum")).as(where).contains(value);
    }
    if (schema.path("format").asText().equals("date-time")) {
      assertThat(value.asText())
          .as(where)
          .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    }
  }

  private void object(JsonNode schema, JsonNode value, String where) {
    assertThat(value.isObject()).as(where).isTrue();
    schema
        .path("required")
        .forEach(key -> assertThat(value.has(key.asText())).as(where + " has " + key).isTrue());
    JsonNode more = schema.get("additionalProperties");
    for (Map.Entry<String, JsonNode> field : value.properties()) {
      String at = where + "." + field.getKey();
      assertThat(field.getValue().isNull() && !schema.toString().contains("Any JSON"))
          .as(at + " is left out rather than null")
          .isFalse();
      JsonNode known = schema.path("properties").get(field.getKey());
      if (known != null) {
        check(known, field.getValue(), at);
      } else if (more != null && more.isObject()) {
        check(more, field.getValue(), at);
      } else {
        assertThat(more != null && more.asBoolean()).as(at + " is documented").isTrue();
      }
    }
  }
}
