package dev.sluice.object;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request as {@link FaultyS3Server} got it.
 *
 * @param bucket the first part of the path
 * @param key the rest of the path; empty if the request is about the bucket
 * @param query the options behind the question mark
 * @param headers the first of each name, in lower case
 */
record S3Request(
    String method,
    String bucket,
    String key,
    Map<String, String> query,
    Map<String, String> headers,
    byte[] body) {

  static S3Request of(HttpExchange exchange) throws IOException {
    String[] path = exchange.getRequestURI().getRawPath().substring(1).split("/", 2);
    Map<String, String> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(), values.get(0)));
    return new S3Request(
        exchange.getRequestMethod(),
        path[0],
        path.length == 1 ? "" : decode(path[1]),
        query(exchange.getRequestURI().getRawQuery()),
        headers,
        exchange.getRequestBody().readAllBytes());
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  /** The region that the client signed for. */
  String region() {
    // Credential=key/date/region/s3/aws4_request
    return header("authorization").map(text -> text.split("/")[2]).orElse("");
  }

  private static Map<String, String> query(String raw) {
    Map<String, String> query = new HashMap<>();
    for (String option : raw == null ? new String[0] : raw.split("&")) {
      String[] sides = option.split("=", 2);
      query.put(decode(sides[0]), sides.length == 1 ? "" : decode(sides[1]));
    }
    return query;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
