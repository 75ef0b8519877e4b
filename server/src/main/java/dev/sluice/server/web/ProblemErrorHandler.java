package dev.sluice.server.web;

import dev.sluice.server.api.Dispatcher;
import dev.sluice.server.security.SecurityHeaders;
import dev.sluice.server.view.ProblemView;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Answers what the server refuses by itself, such as paths with tricks in them and headers that are
 * too long, in the way the API answers: as a problem, without a word about the inside.
 */
final class ProblemErrorHandler extends ErrorHandler {
  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    HttpFields.Mutable headers = response.getHeaders();
    SecurityHeaders.ALL.forEach(headers::put);
    headers.put(HttpHeader.CONTENT_TYPE, ProblemView.CONTENT_TYPE);
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    response.write(true, ByteBuffer.wrap(body(code)), callback);
  }

  /** The path is left out: what was refused may be the path. */
  private static byte[] body(int status) {
    String detail =
        switch (status) {
          case 400 -> "The request, or its path, is malformed or ambiguous.";
          case 404 -> "There is nothing here.";
          case 408 -> "The request came too slowly.";
          case 413 -> "The body is too large.";
          case 414 -> "The path is too long.";
          case 431 -> "The headers are too large.";
          default -> status < 500 ? "The request was refused." : "The server failed.";
        };
    return Dispatcher.bytes(status, detail, "");
  }
}
