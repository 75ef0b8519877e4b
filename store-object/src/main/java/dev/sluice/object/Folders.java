package dev.sluice.object;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folders that survive a power failure once something in them has been acknowledged, and go away
 * when they have been empty for a while.
 *
 * <p>A name is durable when the folder that holds it has been synced, and so on up to the root. To
 * sync the whole way up for every put would be dear, so a process remembers which folders it has
 * seen durable. The trouble is with folders that others remove and make again: a file put into such
 * a one, on the strength of an old memory, hangs by a name that nobody has synced. So whoever
 * removes a folder first adds a byte to the file {@code removed}, and its length is the age of all
 * memories. A put looks at the age before it relies on a memory and once more when its file is in
 * place. If the age is the same, no folder was removed before the file was in place, for the byte
 * comes before the removal; so the folder is the one that was remembered. Otherwise the way up is
 * synced again.
 *
 * <p>When to remove is a matter of thrift only: an empty folder that changed lately is about to be
 * used again. The clock decides that, and nothing else.
 */
final class Folders {
  private static final Logger log = LoggerFactory.getLogger(Folders.class);

  static final Duration EMPTY_FOR = Duration.ofMinutes(1);
  private static final int MOST_NOTED = 10_000;

  private final Path root;
  private final Path removals;
  private final InstantSource clock;
  private final AtomicReference<Memory> memory;
  private final Set<Path> maybeEmpty = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Instant> lastSweep;

  private record Memory(long age, Map<Path, Boolean> durable) {
    static Memory of(long age) {
      return new Memory(age, new ConcurrentHashMap<>());
    }
  }

  /**
   * The folders below a root that exists.
   *
   * @param removals the file whose length is the number of removals
   */
  Folders(Path root, Path removals, InstantSource clock) throws IOException {
    this.root = root;
    this.removals = removals;
    this.clock = clock;
    append(removals, new byte[0]);
    memory = new AtomicReference<>(Memory.of(Files.size(removals)));
    lastSweep = new AtomicReference<>(clock.instant());
  }

  /** Makes the folder if it is missing, and sees to it that its own name is durable. */
  Visit enter(Path folder) throws IOException {
    Memory current = current();
    if (!current.durable.containsKey(folder)) {
      make(folder);
      syncAbove(folder);
      current.durable.put(folder, true);
    }
    return new Visit(folder, current);
  }

  /** A put on its way into a folder. */
  final class Visit {
    private final Path folder;
    private final Memory before;

    private Visit(Path folder, Memory before) {
      this.folder = folder;
      this.before = before;
    }

    /** Makes the name that was just put into the folder durable. */
    void settle() throws IOException {
      sync(folder);
      if (current() != before) {
        syncAbove(folder);
      }
    }
  }

  /** Remembers nothing of a folder that was not there after all. */
  void forget(Path folder) {
    memory.get().durable.remove(folder);
  }

  /** Syncs a folder out of which names were taken. */
  void settleRemovalsFrom(Path folder) throws IOException {
    try {
      sync(folder);
    } catch (NoSuchFileException removedWithIt) {
      return;
    }
    noteMaybeEmpty(folder);
    sweepNowAndThen();
  }

  /** Says that this folder may be of no more use. Beyond some number they are left for later. */
  void noteMaybeEmpty(Path folder) {
    if (!folder.equals(root) && maybeEmpty.size() < MOST_NOTED) {
      maybeEmpty.add(folder);
    }
  }

  /** Only thrift, so it never fails the one who happens to do it. */
  private void sweepNowAndThen() {
    Instant now = clock.instant();
    Instant last = lastSweep.get();
    if (now.isBefore(last.plus(EMPTY_FOR)) || !lastSweep.compareAndSet(last, now)) {
      return;
    }
    for (Path folder : maybeEmpty) {
      try {
        if (removeIfEmpty(folder, now)) {
          noteMaybeEmpty(folder.getParent());
        }
      } catch (IOException e) {
        maybeEmpty.remove(folder);
        log.warn("The folder {} may be empty and was not removed.", folder, e);
      }
    }
  }

  private boolean removeIfEmpty(Path folder, Instant now) throws IOException {
    try {
      if (!isEmpty(folder)) {
        maybeEmpty.remove(folder);
        return false;
      }
      if (Files.getLastModifiedTime(folder).toInstant().plus(EMPTY_FOR).isAfter(now)) {
        return false;
      }
      append(removals, new byte[] {'.'});
      Files.delete(folder);
      maybeEmpty.remove(folder);
      return true;
    } catch (NoSuchFileException | NotDirectoryException | DirectoryNotEmptyException others) {
      maybeEmpty.remove(folder);
      return false;
    }
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (var names = Files.newDirectoryStream(folder)) {
      return !names.iterator().hasNext();
    }
  }

  private Memory current() throws IOException {
    long age = Files.size(removals);
    return memory.updateAndGet(known -> known.age == age ? known : Memory.of(age));
  }

  private void make(Path folder) throws IOException {
    if (folder.equals(root)) {
      return;
    }
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException there) {
      return;
    } catch (NoSuchFileException noParent) {
      if (folder.getParent().equals(root)) {
        throw noParent;
      }
      make(folder.getParent());
      make(folder);
    }
  }

  private void syncAbove(Path folder) throws IOException {
    for (Path above = folder; !above.equals(root); above = above.getParent()) {
      sync(above.getParent());
    }
  }

  static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void append(Path file, byte[] bytes) throws IOException {
    Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
