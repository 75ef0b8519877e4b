package dev.sluice.object;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Bodies as the tests write them. */
final class Bodies {
  private Bodies() {}

  /** The text, behind a token of this write. */
  static ObjectBody unique(String text) {
    String token = UUID.randomUUID().toString();
    return ObjectBody.withToken((token + " " + text).getBytes(StandardCharsets.UTF_8), token);
  }

  /** The text of an object that {@link #unique} made. */
  static String text(StoredObject object) {
    String content = new String(object.body(), StandardCharsets.UTF_8);
    return content.substring(content.indexOf(' ') + 1);
  }

  /** Exactly this text. */
  static ObjectBody plain(String text) {
    return ObjectBody.withoutToken(text.getBytes(StandardCharsets.UTF_8));
  }
}
