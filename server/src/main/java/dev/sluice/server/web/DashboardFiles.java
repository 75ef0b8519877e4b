package dev.sluice.server.web;

import dev.sluice.server.api.Dispatcher;
import dev.sluice.server.view.Problem;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The files of the dashboard, from the class path. Only names of plain characters with a known
 * ending are looked up at all, so there is nothing to climb out of and no directory to list.
 */
final class DashboardFiles {
  private static final String ROOT = "/dev/sluice/server/dashboard/";
  private static final Pattern NAME =
      Pattern.compile("(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/){0,4}[A-Za-z0-9_-][A-Za-z0-9._-]*");
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("html", "text/html; charset=utf-8"),
          Map.entry("js", "text/javascript; charset=utf-8"),
          Map.entry("mjs", "text/javascript; charset=utf-8"),
          Map.entry("css", "text/css; charset=utf-8"),
          Map.entry("json", "application/json"),
          Map.entry("map", "application/json"),
          Map.entry("webmanifest", "application/manifest+json"),
          Map.entry("txt", "text/plain; charset=utf-8"),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("png", "image/png"),
          Map.entry("ico", "image/x-icon"),
          Map.entry("woff2", "font/woff2"));

  private record StoredFile(byte[] bytes, String type, String etag) {}

  private final Map<String, StoredFile> files = new ConcurrentHashMap<>();

  /** The page itself. */
  void page(Context context) throws IOException {
    send(context, "index.html", "no-store");
  }

  /** A file that the page loads. With {@code ?v=} in its address it never changes. */
  void asset(Context context, String name) throws IOException {
    boolean named = context.queryParam("v") != null;
    send(context, "assets/" + name, named ? "public, max-age=31536000, immutable" : "no-cache");
  }

  private void send(Context context, String name, String caching) throws IOException {
    Optional<StoredFile> found = find(name);
    if (found.isEmpty()) {
      Dispatcher.write(context, Problem.notFound("There is nothing here."));
      return;
    }
    StoredFile file = found.get();
    context.header("Cache-Control", caching);
    context.header("ETag", file.etag);
    if (file.etag.equals(context.header("If-None-Match"))) {
      context.status(304);
      return;
    }
    context.contentType(file.type).result(file.bytes);
  }

  private Optional<StoredFile> find(String name) throws IOException {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    StoredFile known = files.get(name);
    if (known == null) {
      try (InputStream in = DashboardFiles.class.getResourceAsStream(ROOT + name)) {
        if (in == null) {
          return Optional.empty();
        }
        byte[] bytes = in.readAllBytes();
        known = new StoredFile(bytes, type, "\"" + digest(bytes) + "\"");
        files.put(name, known);
      }
    }
    return Optional.of(known);
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
