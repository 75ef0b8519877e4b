package dev.sluice.server.api;

import java.util.Map;

/**
 * What a route answers.
 *
 * @param status the status
 * @param contentType of the body; empty = there is none, null = the route has seen to it itself
 * @param body a view, bytes or a text
 * @param headers headers besides the usual ones
 */
public record Answer(int status, String contentType, Object body, Map<String, String> headers) {
  /** The route answers by itself, in its own time. */
  static final Answer STREAMED = new Answer(200, null, null, Map.of());

  static Answer ok(Object view) {
    return json(200, view);
  }

  static Answer json(int status, Object view) {
    return new Answer(status, Reply.JSON, view, Map.of());
  }

  static Answer created(Object view, String location) {
    return new Answer(201, Reply.JSON, view, Map.of("Location", location));
  }

  static Answer text(int status, String contentType, Object body) {
    return new Answer(status, contentType, body, Map.of());
  }

  static Answer empty(int status, Map<String, String> headers) {
    return new Answer(status, "", null, headers);
  }
}
