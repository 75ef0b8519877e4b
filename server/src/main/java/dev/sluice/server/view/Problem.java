package dev.sluice.server.view;

import java.util.LinkedHashMap;
import java.util.Map;

/** A request that is refused, with the answer it gets. */
public final class Problem extends RuntimeException {
  private static final Map<Integer, String> TITLES =
      Map.ofEntries(
          Map.entry(400, "Bad Request"),
          Map.entry(401, "Unauthorized"),
          Map.entry(403, "Forbidden"),
          Map.entry(404, "Not Found"),
          Map.entry(405, "Method Not Allowed"),
          Map.entry(408, "Request Timeout"),
          Map.entry(409, "Conflict"),
          Map.entry(413, "Content Too Large"),
          Map.entry(414, "URI Too Long"),
          Map.entry(415, "Unsupported Media Type"),
          Map.entry(422, "Unprocessable Content"),
          Map.entry(429, "Too Many Requests"),
          Map.entry(431, "Request Header Fields Too Large"),
          Map.entry(500, "Internal Server Error"),
          Map.entry(503, "Service Unavailable"));

  private final int status;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private final Map<String, Object> more = new LinkedHashMap<>();

  /** A problem with what the caller should know: the thing and the remedy, never the inside. */
  public Problem(int status, String detail) {
    super(detail, null, false, false);
    this.status = status;
  }

  /** 400: a parameter or body that cannot be right. */
  public static Problem badRequest(String detail) {
    return new Problem(400, detail);
  }

  /** 404: there is no such thing. */
  public static Problem notFound(String detail) {
    return new Problem(404, detail);
  }

  /** 409: not in its present state. */
  public static Problem conflict(String detail) {
    return new Problem(409, detail);
  }

  /** With a header more. */
  public Problem header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** With a key more. */
  public Problem with(String key, Object value) {
    more.put(key, value);
    return this;
  }

  /** The status. */
  public int status() {
    return status;
  }

  /** The headers. */
  public Map<String, String> headers() {
    return headers;
  }

  /** The answer. */
  public ProblemView view(String instance) {
    return view(status, getMessage(), instance, more);
  }

  /** The answer to what was refused before anybody here saw it. */
  public static ProblemView view(
      int status, String detail, String instance, Map<String, Object> more) {
    return new ProblemView(
        "about:blank",
        TITLES.getOrDefault(status, status < 500 ? "Request Refused" : "Server Error"),
        status,
        detail,
        instance,
        more);
  }
}
