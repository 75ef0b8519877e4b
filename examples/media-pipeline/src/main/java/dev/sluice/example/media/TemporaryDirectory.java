package dev.sluice.example.media;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A directory that is gone when it is closed. */
record TemporaryDirectory(Path path) implements AutoCloseable {
  static TemporaryDirectory create() throws IOException {
    return new TemporaryDirectory(Files.createTempDirectory("media-pipeline-"));
  }

  /** A directory in it. */
  Path directory(String name) throws IOException {
    return Files.createDirectories(path.resolve(name));
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }

  /** Removes a directory and all that is in it, if it is there; others may do so meanwhile. */
  static void delete(Path tree) throws IOException {
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE; // That is what was asked for.
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            if (failure != null && !(failure instanceof NoSuchFileException)) {
              throw failure;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
