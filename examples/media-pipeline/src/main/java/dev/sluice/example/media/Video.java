package dev.sluice.example.media;

import dev.sluice.InvalidRequestException;
import java.util.List;

/**
 * What a run works on.
 *
 * @param id what it is called: in the workspace, in the bucket and in the catalogue. One run each
 * @param url where it is fetched from
 * @param renditions the sizes it is offered in
 */
record Video(String id, String url, List<Rendition> renditions) {
  Video {
    requireName("id of a video", id);
    if (renditions.isEmpty()) {
      throw new InvalidRequestException(
          "The video '%s' is to have no renditions; name at least one.".formatted(id));
    }
  }

  /**
   * A size.
   *
   * @param name what it is called in the bucket: {@code 360p}
   * @param height in pixels; the width follows from the video's shape
   * @param kilobits of video per second
   */
  record Rendition(String name, int height, int kilobits) {
    Rendition {
      requireName("name of a rendition", name);
    }
  }

  /** A rendition that is there. */
  record Variant(String name, String streamInfo, List<String> files) {}

  /** A file that is in the bucket, with what it was compared by. */
  record Uploaded(String key, long bytes, String checksum) {}

  private static void requireName(String what, String name) {
    if (!name.matches("[A-Za-z0-9_-]+")) {
      throw new InvalidRequestException(
          "The %s is '%s'; use letters, digits, '-' and '_': it becomes the name of a directory."
              .formatted(what, name));
    }
  }
}
