package dev.sluice.object;

import dev.sluice.object.ObjectFile.Head;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import dev.sluice.object.PutResult.Stored;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects as files in a directory that several processes of one machine share.
 *
 * <p><b>Why it is safe.</b> A put first writes its file where no key leads to ({@link Drafts}) and
 * syncs it. Then one step of the kernel gives it its name, and that step is the put:
 *
 * <ul>
 *   <li><i>create</i>: a hard link, which fails if the name is taken;
 *   <li><i>replace</i>: a rename over the old file, under the right to the key ({@link
 *       StripeLocks}), after the tag in the old file was compared. Deletes take the same right, so
 *       between comparing and renaming nothing happens to the file.
 * </ul>
 *
 * A reader opens one file or the other, whole in either case. Tags are random for each open store
 * and counted within it, so none occurs twice.
 *
 * <p><b>After a crash.</b> Killed before the step: the old object, and a draft that the next store
 * to open clears away. Killed after it: the new object; a draft that was linked has two names, and
 * clearing takes the other one. When the power fails, the file's content was synced before it got
 * its name, so a name never leads to half an object. The put is acknowledged after the folder was
 * synced, and the folders above it ({@link Folders}). In between, others on the machine may read
 * what a power failure would still take back; but a put of theirs to that key syncs the same
 * folder, so nothing acknowledged stands on something lost.
 *
 * <p><b>Where.</b> A local file system with hard links and POSIX locks, and names that tell upper
 * from lower case: ext4, XFS, btrfs, tmpfs; not NFS. Time is the machine's.
 */
final class DirectoryObjectStore implements ObjectStore {
  private static final Logger log = LoggerFactory.getLogger(DirectoryObjectStore.class);

  /** More often than this, nobody removes the folder between our making it and our using it. */
  private static final int TRIES = 100;

  private final Path directory;
  private final InstantSource clock;
  private final DirectoryErrors errors;
  private final KeyPaths paths;
  private final StripeLocks locks;
  private final Folders folders;
  private final Drafts drafts;
  private final String instance = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
  private final AtomicLong writes = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  private DirectoryObjectStore(Path directory, InstantSource clock) throws IOException {
    this.directory = directory.toRealPath();
    this.clock = clock;
    this.errors = new DirectoryErrors(this.directory);
    Path objects = folder("objects");
    this.paths = new KeyPaths(objects);
    this.folders = new Folders(objects, this.directory.resolve("removed"), clock);
    this.locks = new StripeLocks(folder("locks"));
    try {
      this.drafts = Drafts.open(folder("drafts"), instance, locks);
      Folders.sync(this.directory);
    } catch (IOException | RuntimeException e) {
      locks.close();
      throw e;
    }
  }

  /** The store in this directory, which is made if it is missing. */
  static DirectoryObjectStore open(Path directory) {
    return open(directory, InstantSource.system());
  }

  /** The store in this directory, telling the time by this clock. */
  static DirectoryObjectStore open(Path directory, InstantSource clock) {
    Path absolute = directory.toAbsolutePath().normalize();
    try {
      makeDurably(absolute);
      return new DirectoryObjectStore(absolute, clock);
    } catch (IOException e) {
      throw new DirectoryErrors(absolute).failed("Opening the store", e);
    }
  }

  @Override
  public Optional<StoredObject> get(String key) {
    Path file = paths.file(ObjectKeys.requireValid(key));
    try {
      return ObjectFile.read(file, clock);
    } catch (IOException e) {
      throw errors.failed("Reading the object '" + key + "'", e);
    }
  }

  @Override
  public PutResult putIfAbsent(String key, ObjectBody body) {
    Path file = paths.file(ObjectKeys.requireValid(key));
    return put(
        key,
        body,
        file,
        () -> Files.exists(file) ? Optional.of(new Lost(Reason.CHANGED)) : Optional.empty(),
        draft -> {
          try {
            Files.createLink(file, draft);
            return Optional.empty();
          } catch (FileAlreadyExistsException taken) {
            return Optional.of(new Lost(Reason.CHANGED));
          }
        });
  }

  @Override
  public PutResult putIfMatch(String key, ObjectBody body, String tag) {
    Path file = paths.file(ObjectKeys.requireValid(key));
    return put(
        key,
        body,
        file,
        () -> compare(file, tag),
        draft -> {
          try (var right = locks.lock(key)) {
            Optional<Lost> lost = compare(file, tag);
            if (lost.isEmpty()) {
              Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            }
            return lost;
          }
        });
  }

  @Override
  public ObjectPage list(String prefix, String after, int limit) {
    try {
      return DirectoryLister.list(paths, folders, prefix, after, Math.min(limit, MAX_PAGE));
    } catch (IOException e) {
      throw errors.failed("Listing the objects under '" + prefix + "'", e);
    }
  }

  @Override
  public void delete(String key) {
    deleteAll(Set.of(key));
  }

  @Override
  public void deleteAll(Collection<String> keys) {
    Set<Path> touched = new HashSet<>();
    for (String key : keys) {
      Path file = paths.file(ObjectKeys.requireValid(key));
      try (var right = locks.lock(key)) {
        if (Files.deleteIfExists(file)) {
          touched.add(file.getParent());
        }
      } catch (IOException e) {
        throw errors.failed("Deleting the object '" + key + "'", e);
      }
    }
    for (Path folder : touched) {
      try {
        folders.settleRemovalsFrom(folder);
      } catch (IOException e) {
        throw errors.failed("Deleting objects from " + folder, e);
      }
    }
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    // An interrupt would end the cleaning up, and there is no second chance for it.
    boolean interrupted = Thread.interrupted();
    try (locks;
        drafts) {
      log.debug("Closing {}", this);
    } catch (IOException e) {
      throw new UncheckedIOException("The store in " + directory + " was not closed cleanly", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public String toString() {
    return "file:" + directory;
  }

  /** Looks at an object; empty = nothing speaks against the put. */
  private interface Look {
    Optional<Lost> now() throws IOException;
  }

  /** The one step that gives a draft its name; empty = done. */
  private interface Step {
    Optional<Lost> take(Path draft) throws IOException;
  }

  /**
   * The way of every put.
   *
   * @param look spares the writing when the put is lost already; it decides nothing
   */
  private PutResult put(String key, ObjectBody body, Path file, Look look, Step step) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Head head = new Head(instance + "%016x".formatted(writes.incrementAndGet()), now);
    Path draft = drafts.file(head.tag());
    boolean done = false;
    try {
      Optional<Lost> lost = look.now();
      if (lost.isPresent()) {
        return lost.get();
      }
      ObjectFile.write(draft, head, body.bytes());
      Folders.Visit visit = null;
      for (int tries = 1; visit == null; tries++) {
        try {
          visit = folders.enter(file.getParent());
          lost = step.take(draft);
        } catch (NoSuchFileException folderRemoved) {
          if (tries == TRIES || !Files.exists(draft)) {
            throw folderRemoved;
          }
          folders.forget(file.getParent());
          visit = null;
        }
      }
      if (lost.isPresent()) {
        return lost.get();
      }
      done = true;
      visit.settle();
      return new Stored(head.tag(), now);
    } catch (IOException e) {
      throw done ? errors.undecided(key, e) : errors.failed("Writing the object '" + key + "'", e);
    } catch (UncheckedIOException lockNotReleased) {
      throw errors.undecided(key, lockNotReleased.getCause());
    } finally {
      discard(draft);
    }
  }

  private static void discard(Path draft) {
    try {
      Files.deleteIfExists(draft);
    } catch (IOException e) {
      log.warn("The draft {} is left behind until the store is opened again.", draft, e);
    }
  }

  private static Optional<Lost> compare(Path file, String tag) throws IOException {
    Optional<Head> head = ObjectFile.readHead(file);
    if (head.isEmpty()) {
      return Optional.of(new Lost(Reason.ABSENT));
    }
    return head.get().tag().equals(tag) ? Optional.empty() : Optional.of(new Lost(Reason.CHANGED));
  }

  private static void makeDurably(Path directory) throws IOException {
    Path existing = directory;
    while (!Files.exists(existing)) {
      existing = existing.getParent();
    }
    Files.createDirectories(directory);
    for (Path made = directory; !made.equals(existing); made = made.getParent()) {
      Folders.sync(made.getParent());
    }
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectories(directory.resolve(name));
  }
}
