package dev.sluice.bench.pages;

/**
 * Something a page asks for.
 *
 * @param route which route of the API it is, as its document has it: {@code /api/v1/jobs/{id}}
 * @param what what is special about it, in a few words; empty if nothing is
 * @param path what to get
 */
record Call(String route, String what, String path) {
  /** Of a route without parameters. */
  static Call plain(String route) {
    return new Call(route, "", route);
  }

  /** How it is called in reports. */
  String name() {
    String shown = route.replaceFirst("^/api/v1", "");
    return what.isEmpty() ? shown : shown + ", " + what;
  }

  /** Whether it is answered by a stream that does not end. */
  boolean streams() {
    return route.endsWith("/events");
  }
}
