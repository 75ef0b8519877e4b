package dev.sluice.object;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An answer of {@link FaultyS3Server}. */
record S3Answer(int status, Map<String, String> headers, byte[] body) {

  static S3Answer of(int status, Map<String, String> headers) {
    return new S3Answer(status, headers, new byte[0]);
  }

  static S3Answer xml(String text) {
    byte[] body =
        ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + text).getBytes(StandardCharsets.UTF_8);
    return new S3Answer(200, Map.of("Content-Type", "application/xml"), body);
  }

  static S3Answer error(int status, String code) {
    return error(status, code, Map.of());
  }

  static S3Answer error(int status, String code, Map<String, String> headers) {
    S3Answer text =
        xml("<Error><Code>%s</Code><Message>%s</Message></Error>".formatted(code, code));
    return new S3Answer(status, headers, text.body);
  }

  void send(HttpExchange exchange) throws IOException {
    headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    boolean bare = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, bare ? -1 : body.length);
    if (!bare) {
      exchange.getResponseBody().write(body);
    }
  }
}
