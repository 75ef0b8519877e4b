package dev.sluice.example.media;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Where the files of a video are between its steps; workers on several machines would need a
 * directory that they share.
 *
 * <p>An attempt at a step works in a draft of its own, which no other attempt sees, and which is
 * gone afterwards whatever happens. When it is complete it is renamed, which happens whole or not
 * at all. Of two attempts the first to rename wins, and the other takes what is there. So whoever
 * finds a result finds a whole one, and it never changes.
 */
final class Workspace {
  private final Path root;

  /** Fills a directory. */
  interface Maker {
    void make(Path draft) throws IOException, InterruptedException;
  }

  /** A workspace in this directory. */
  Workspace(Path root) {
    this.root = root;
  }

  /** Where the result of this name is, or will be. */
  Path path(String video, String name) {
    return root.resolve(video).resolve(name);
  }

  /** The directory of this name, made if nobody has yet. */
  Path produce(String video, String name, Maker maker) throws IOException, InterruptedException {
    Path ready = path(video, name);
    if (Files.isDirectory(ready)) {
      return ready;
    }
    Files.createDirectories(ready.getParent());
    Path draft = Files.createTempDirectory(ready.getParent(), ".draft-");
    try {
      maker.make(draft);
      Files.move(draft, ready, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      if (!Files.isDirectory(ready)) {
        throw e;
      }
      // Another attempt was quicker.
    } finally {
      TemporaryDirectory.delete(draft);
    }
    return ready;
  }

  /** Writes a file, whole or not at all. */
  void write(String video, String name, String text) throws IOException {
    Path file = path(video, name);
    Path draft = Files.createTempFile(file.getParent(), ".draft-", "");
    try {
      Files.writeString(draft, text);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /** Removes everything of a video. */
  void discard(String video) throws IOException {
    TemporaryDirectory.delete(root.resolve(video));
  }
}
