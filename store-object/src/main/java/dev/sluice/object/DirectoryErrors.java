package dev.sluice.object;

import dev.sluice.SluiceException;
import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sorts what a file system throws into what a caller would act on differently. Java tells most
 * kinds by the message alone, which comes in the user's language, so the file system is asked as
 * well.
 */
final class DirectoryErrors {
  /** With less than this left, a failure to write is taken for a full disk. */
  private static final long SPARE_BYTES = 64 * 1024;

  private final Path directory;

  DirectoryErrors(Path directory) {
    this.directory = directory;
  }

  /**
   * A failure after which nothing has changed.
   *
   * @param what what was attempted, as in "Writing the object 'x'"
   */
  SluiceException failed(String what, IOException e) {
    if (e instanceof ClosedByInterruptException) {
      return new StoreUnavailableException(what + " was interrupted.", e);
    }
    if (e instanceof AccessDeniedException || reason(e).contains("Read-only") || isReadOnly()) {
      return new StoreIncompatibleException(
          "%s in %s failed, because the directory cannot be written or read by this user: %s. Make it writable, or name another directory in the store's URL."
              .formatted(what, directory, reason(e)),
          e);
    }
    if (Files.isRegularFile(directory)) {
      return new StoreIncompatibleException(
          "%s is a file, not a directory. Name another directory in the store's URL."
              .formatted(directory),
          e);
    }
    if (reason(e).contains("No space left") || isFull()) {
      return new StoreUnavailableException(
          "%s in %s failed, because the disk is full: %s. Nothing that was stored is lost; free some space."
              .formatted(what, directory, reason(e)),
          e);
    }
    return new StoreUnavailableException(
        "%s in %s failed: %s. Check the disk and the file system; it must know hard links and locks, so not NFS."
            .formatted(what, directory, reason(e)),
        e);
  }

  /** A failure to make durable what others can already see. */
  UnknownOutcomeException undecided(String key, IOException e) {
    return new UnknownOutcomeException(
        "The object '%s' was written in %s but not made durable: %s. Read it again."
            .formatted(key, directory, reason(e)),
        e);
  }

  private boolean isReadOnly() {
    FileStore store = fileStore();
    return store != null && store.isReadOnly();
  }

  private boolean isFull() {
    FileStore store = fileStore();
    try {
      return store != null && store.getTotalSpace() > 0 && store.getUsableSpace() < SPARE_BYTES;
    } catch (IOException unknown) {
      return false;
    }
  }

  /** That of the directory or, before it is made, of the nearest folder above it. */
  private FileStore fileStore() {
    Path existing = directory;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    try {
      return existing == null ? null : Files.getFileStore(existing);
    } catch (IOException unknown) {
      return null;
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
