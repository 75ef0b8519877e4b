package dev.sluice.server.api;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.server.security.Caller;
import dev.sluice.server.security.Incoming;
import dev.sluice.server.view.Problem;
import io.javalin.http.Context;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** A request that was let in, with its parameters checked as they are asked for. */
public final class Call {
  private static final int MOST = 1_000;
  private static final int DEFAULT = 50;

  private final Context context;
  private final Caller caller;
  private RequestBody body = RequestBody.NONE;
  private String subject = "";

  Call(Context context, Caller caller) {
    this.context = context;
    this.caller = caller;
  }

  Caller caller() {
    return caller;
  }

  Context context() {
    return context;
  }

  Incoming incoming() {
    return new JavalinRequest(context);
  }

  /** Says what the call is about, for the log of changes. */
  void subject(Object about) {
    subject = String.valueOf(about);
  }

  String subject() {
    return subject;
  }

  String path(String name) {
    return context.pathParam(name);
  }

  UUID id() {
    UUID id = uuid("id", path("id"));
    subject(id);
    return id;
  }

  static UUID uuid(String name, String text) {
    // UUID.fromString alone would also take shorter groups.
    if (text.length() != 36) {
      throw notUuid(name);
    }
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw notUuid(name);
    }
  }

  private static Problem notUuid(String name) {
    return Problem.badRequest(
        "'%s' is not an id; one looks like 01890a5d-ac96-774b-bcce-b302099a8057.".formatted(name));
  }

  Optional<String> query(String name) {
    return Optional.ofNullable(context.queryParam(name)).filter(value -> !value.isEmpty());
  }

  List<String> queries(String name) {
    return context.queryParams(name).stream().filter(value -> !value.isEmpty()).toList();
  }

  String required(String name) {
    return query(name)
        .orElseThrow(() -> Problem.badRequest("The parameter '%s' is missing.".formatted(name)));
  }

  int limit() {
    String text = query("limit").orElse(String.valueOf(DEFAULT));
    int limit = text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MOST) {
      throw Problem.badRequest("'limit' must be a number from 1 to %d.".formatted(MOST));
    }
    return limit;
  }

  String cursor() {
    return query("cursor").orElse("");
  }

  /** The group that the query names. */
  Group group() {
    return group(required("group"));
  }

  Group group(String canonical) {
    subject(canonical);
    try {
      return Group.parse(canonical);
    } catch (InvalidRequestException e) {
      throw Problem.badRequest("'group': " + e.getMessage());
    }
  }

  /** One of the words of an enum. */
  static <E extends Enum<E>> E word(Class<E> type, String name, String text) {
    for (E value : type.getEnumConstants()) {
      if (value.toString().equals(text)) {
        return value;
      }
    }
    throw Problem.badRequest(
        "'%s' must be one of: %s."
            .formatted(
                name,
                Arrays.stream(type.getEnumConstants())
                    .map(Object::toString)
                    .collect(Collectors.joining(", "))));
  }

  /** The body has come. */
  void body(RequestBody whole) {
    body = whole;
  }

  <T> T body(Class<T> type) throws java.io.IOException {
    return body.as(type);
  }
}
