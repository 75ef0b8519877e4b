package dev.sluice.server.api;

import dev.sluice.server.view.Paged;

/**
 * An answer that a route may give.
 *
 * @param status the status
 * @param contentType of the body; empty = there is none
 * @param type what the body is: a view, or null if it is no JSON of ours
 * @param paged whether it is a page of them
 * @param description when it is given
 */
public record Reply(
    int status, String contentType, Class<?> type, boolean paged, String description) {
  static final String JSON = "application/json";

  static Reply json(int status, Class<?> type, String description) {
    return new Reply(status, JSON, type, false, description);
  }

  /** A {@link Paged}. */
  static Reply page(Class<?> type, String description) {
    return new Reply(200, JSON, type, true, description);
  }

  static Reply other(int status, String contentType, String description) {
    return new Reply(status, contentType, null, false, description);
  }

  static Reply empty(int status, String description) {
    return new Reply(status, "", null, false, description);
  }
}
