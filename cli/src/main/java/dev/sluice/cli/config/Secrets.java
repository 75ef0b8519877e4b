package dev.sluice.cli.config;

import dev.sluice.StoreUrls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

/** Whether passwords and tokens are where others can read them. */
final class Secrets {
  private Secrets() {}

  /** Whether something in the URL is not for everybody's eyes. */
  static boolean isInUrl(String url) {
    return !StoreUrls.masked(url).equals(url);
  }

  /** Whether everybody on this machine can read the file. */
  static boolean isOpenToAll(Path file) {
    try {
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    } catch (IOException | UnsupportedOperationException e) {
      // A file system without such permissions, or a file that is gone by now.
      return false;
    }
  }
}
