package dev.sluice.server.api;

import static dev.sluice.server.api.Schemas.map;

import dev.sluice.server.security.Gatekeeper;
import dev.sluice.server.security.Role;
import dev.sluice.server.view.ProblemView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes the OpenAPI document of a table of routes. */
public final class OpenApi {
  private final Schemas schemas = new Schemas();

  private OpenApi() {}

  /** The document. */
  public static Map<String, Object> of(List<Route> routes, String version) {
    return new OpenApi().document(routes, version);
  }

  @SuppressWarnings("unchecked") // every value of paths is a map that was put here
  private Map<String, Object> document(List<Route> routes, String version) {
    Map<String, Object> paths = new LinkedHashMap<>();
    for (Route route : routes) {
      Map<String, Object> path =
          (Map<String, Object>) paths.computeIfAbsent(route.path(), any -> new LinkedHashMap<>());
      path.put(route.method().name().toLowerCase(Locale.ROOT), operation(route));
    }
    Map<String, Object> problem = schemas.of(ProblemView.class);
    return map(
        "openapi",
        "3.1.0",
        "info",
        map(
            "title",
            "Sluice",
            "version",
            version,
            "description",
            "Background jobs whose concurrency limits hold. Keys are in snake_case, times in UTC,"
                + " durations in seconds; what is absent is left out. Every change needs the header"
                + " `"
                + Gatekeeper.REQUEST_HEADER
                + ": 1`.",
            "license",
            map("name", "Apache-2.0", "identifier", "Apache-2.0")),
        "paths",
        paths,
        "components",
        map(
            "schemas",
            schemas.named(),
            "responses",
            map(
                "Problem",
                map(
                    "description",
                    "What was wrong, as RFC 9457 has it.",
                    "content",
                    map(ProblemView.CONTENT_TYPE, map("schema", problem)))),
            "securitySchemes",
            map(
                "token",
                map("type", "http", "scheme", "bearer"),
                "session",
                map(
                    "type",
                    "apiKey",
                    "in",
                    "cookie",
                    "name",
                    "sluice_session_PORT",
                    "description",
                    "From POST /api/v1/session."))));
  }

  private Map<String, Object> operation(Route route) {
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("operationId", operationId(route));
    operation.put("tags", List.of(route.doc().tag()));
    operation.put("summary", route.doc().summary());
    operation.put(
        "security",
        route.role() == Role.OPEN
            ? List.of()
            : List.of(map("token", List.of()), map("session", List.of())));
    operation.put("x-role", route.role().toString());
    List<Object> parameters = new ArrayList<>();
    route.doc().parameters().forEach(parameter -> parameters.add(parameter(parameter)));
    if (route.method().isWrite()) {
      parameters.add(
          map(
              "name",
              Gatekeeper.REQUEST_HEADER,
              "in",
              "header",
              "required",
              true,
              "schema",
              map("const", "1")));
    }
    operation.put("parameters", parameters);
    if (route.body() != null) {
      operation.put(
          "requestBody",
          map(
              "required",
              true,
              "content",
              map(Reply.JSON, map("schema", schemas.of(route.body())))));
    }
    operation.put("responses", responses(route));
    return operation;
  }

  private static Map<String, Object> parameter(Parameter parameter) {
    Map<String, Object> schema =
        parameter.type().equals("uuid")
            ? map("type", "string", "format", "uuid")
            : map("type", parameter.type());
    if (!parameter.values().isEmpty()) {
      schema.put("enum", parameter.values());
    }
    Map<String, Object> json =
        map(
            "name",
            parameter.name(),
            "in",
            parameter.place().name().toLowerCase(Locale.ROOT),
            "required",
            parameter.required(),
            "schema",
            schema);
    if (!parameter.description().isEmpty()) {
      json.put("description", parameter.description());
    }
    return json;
  }

  private Map<String, Object> responses(Route route) {
    Map<String, Object> responses = new LinkedHashMap<>();
    for (Reply reply : route.doc().replies()) {
      Map<String, Object> response = map("description", reply.description());
      if (reply.type() != null) {
        Map<String, Object> schema =
            reply.paged() ? schemas.page(reply.type()) : schemas.of(reply.type());
        response.put("content", map(reply.contentType(), map("schema", schema)));
      } else if (!reply.contentType().isEmpty()) {
        response.put("content", map(reply.contentType(), map("schema", map("type", "string"))));
      }
      responses.put(String.valueOf(reply.status()), response);
    }
    responses.put("default", map("$ref", "#/components/responses/Problem"));
    return responses;
  }

  private static String operationId(Route route) {
    return route.method().name().toLowerCase(Locale.ROOT)
        + route
            .path()
            .replaceFirst("^/api/v1", "")
            .replaceAll("[{}]", "")
            .replaceAll("[^A-Za-z0-9]+", "_");
  }
}
