package dev.sluice.object;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Files that are being written and have no key yet, in a folder that belongs to one open store. The
 * folders of stores whose processes died are cleared away by the next store that opens.
 *
 * <p>A folder's owner holds the lock on the file {@code owner} in it for as long as it is open, and
 * the kernel gives the lock back when the process dies. Opening, closing and clearing happen under
 * one right of {@link StripeLocks}, so nobody takes a folder for abandoned whose owner has not come
 * to lock it. Folders of this JVM are known by name and left alone: to open their lock file and
 * close it again would drop the lock.
 */
final class Drafts implements AutoCloseable {
  private static final Set<String> OF_THIS_JVM = ConcurrentHashMap.newKeySet();
  private static final String OWNER = "owner";

  private final Path folder;
  private final FileChannel owner;
  private final StripeLocks locks;

  private Drafts(Path folder, FileChannel owner, StripeLocks locks) {
    this.folder = folder;
    this.owner = owner;
    this.locks = locks;
  }

  /**
   * Clears what the dead have left and makes a folder of one's own.
   *
   * @param parent the folder of all such folders
   * @param name no other store has it
   */
  static Drafts open(Path parent, String name, StripeLocks locks) throws IOException {
    try (var turn = turn(parent, locks)) {
      clearAbandoned(parent);
      OF_THIS_JVM.add(name);
      Path folder = Files.createDirectory(parent.resolve(name));
      FileChannel owner = openOwner(folder);
      if (owner.tryLock() == null) {
        throw new IOException("The new file " + folder.resolve(OWNER) + " is locked");
      }
      return new Drafts(folder, owner, locks);
    }
  }

  /** Where a draft of this name is written. */
  Path file(String name) {
    return folder.resolve(name);
  }

  @Override
  public void close() throws IOException {
    try (var turn = turn(folder.getParent(), locks);
        owner) {
      clear(folder);
    } finally {
      OF_THIS_JVM.remove(folder.getFileName().toString());
    }
  }

  private static StripeLocks.Held turn(Path parent, StripeLocks locks) throws IOException {
    return locks.lock(parent.toString());
  }

  private static void clearAbandoned(Path parent) throws IOException {
    for (Path folder : children(parent)) {
      if (!OF_THIS_JVM.contains(folder.getFileName().toString())) {
        try (FileChannel owner = openOwner(folder);
            FileLock free = owner.tryLock()) {
          if (free != null) {
            clear(folder);
          }
        }
      }
    }
  }

  private static FileChannel openOwner(Path folder) throws IOException {
    return FileChannel.open(
        folder.resolve(OWNER), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static void clear(Path folder) throws IOException {
    for (Path file : children(folder)) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(folder);
  }

  private static List<Path> children(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}
