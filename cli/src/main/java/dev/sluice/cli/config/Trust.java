package dev.sluice.cli.config;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;

/**
 * Whether a file that merely lies in a directory may say what we do: one that anybody could have
 * put there, as in a directory for temporary files, names a store and commands of a stranger.
 */
final class Trust {
  private static final long ROOT = 0;

  private Trust() {}

  /** Why the file is not to be trusted; empty = it is. */
  static Optional<String> objection(Path file) {
    try {
      long me = new UnixSystem().getUid();
      // A link of a stranger to a file of ours is as bad as a file of the stranger's own.
      if (isForeign(owner(file), me) || isForeign(owner(file, LinkOption.NOFOLLOW_LINKS), me)) {
        return Optional.of("belongs to another user");
      }
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)
          ? Optional.of("can be written by everybody")
          : Optional.empty();
    } catch (IOException | RuntimeException | LinkageError e) {
      // A system without such owners and permissions, or a file that is gone by now.
      return Optional.empty();
    }
  }

  /** Root may do as it likes anyway. */
  static boolean isForeign(long owner, long me) {
    return owner != ROOT && owner != me;
  }

  private static long owner(Path file, LinkOption... options) throws IOException {
    return ((Number) Files.getAttribute(file, "unix:uid", options)).longValue();
  }
}
