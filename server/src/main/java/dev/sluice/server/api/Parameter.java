package dev.sluice.server.api;

import java.util.List;

/**
 * A parameter of a route.
 *
 * @param name its name
 * @param place path or query
 * @param type what it is, in words of JSON Schema: string, integer, uuid
 * @param required whether it must be there
 * @param values what is allowed; empty = anything of the type
 * @param description what it is for
 */
public record Parameter(
    String name,
    Place place,
    String type,
    boolean required,
    List<String> values,
    String description) {
  /** Where parameters are. */
  public enum Place {
    PATH,
    QUERY
  }

  /** An optional one in the query. */
  static Parameter query(String name, String type, String description) {
    return new Parameter(name, Place.QUERY, type, false, List.of(), description);
  }

  /** An optional one in the query, of these values. */
  static Parameter choice(String name, List<String> values, String description) {
    return new Parameter(name, Place.QUERY, "string", false, values, description);
  }

  Parameter mandatory() {
    return new Parameter(name, place, type, true, values, description);
  }

  static final Parameter LIMIT =
      query("limit", "integer", "How many a page holds, 1 to 1000; default 50.");
  static final Parameter CURSOR =
      query("cursor", "string", "Where to go on: `next` of the page before.");
  static final Parameter GROUP =
      query("group", "string", "The canonical name of the group, as the API shows it.").mandatory();
}
