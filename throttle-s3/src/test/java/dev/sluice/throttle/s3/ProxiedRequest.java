package dev.sluice.throttle.s3;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The head of a request that came to a {@link FailingProxy}.
 *
 * @param headers by name in lower case
 */
record ProxiedRequest(String method, String target, Map<String, String> headers) {
  static ProxiedRequest parse(String head) {
    String[] lines = head.split("\r\n");
    String[] words = lines[0].split(" ");
    Map<String, String> headers = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] sides = lines[i].split(":", 2);
      headers.put(sides[0].toLowerCase(Locale.ROOT), sides[1].strip());
    }
    return new ProxiedRequest(words[0], words[1], headers);
  }

  /** Whether a part of a file or an object goes up or down with it. */
  boolean isPart() {
    return isUploadPart() || isDownload();
  }

  boolean isUploadPart() {
    return method.equals("PUT") && target.contains("partNumber=");
  }

  boolean isDownload() {
    return method.equals("GET") && headers.containsKey("range");
  }

  /** Whether the parts are to be joined. */
  boolean isJoin() {
    return method.equals("POST") && target.contains("uploadId=");
  }

  Optional<String> range() {
    return Optional.ofNullable(headers.get("range"));
  }

  long length() {
    return Long.parseLong(headers.getOrDefault("content-length", "0"));
  }
}
