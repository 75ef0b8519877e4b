package dev.sluice.throttle.s3;

import java.io.IOException;
import java.nio.file.Path;

/**
 * What arrived is not what was sent, or a file changed while it was sent. A download leaves nothing
 * where it was to go; an upload is aborted, unless its parts were joined before somebody else wrote
 * to the same key.
 */
public final class IntegrityException extends IOException {
  IntegrityException(String message) {
    super(message);
  }

  static IntegrityException changed(Path file) {
    return new IntegrityException(
        "%s changed while it was uploaded. Upload it again when nobody writes to it."
            .formatted(file));
  }
}
