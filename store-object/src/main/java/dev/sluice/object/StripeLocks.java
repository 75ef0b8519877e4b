package dev.sluice.object;

import dev.sluice.StoreUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Short exclusive rights to a key, held by one thread of one process of the machine at a time. Keys
 * that fall on the same stripe share a right.
 *
 * <p>The kernel takes a file lock back when its process dies, so there is nothing to clean up after
 * a crash. Three properties of such locks shape this class:
 *
 * <ul>
 *   <li>They belong to the process, and closing any descriptor of the file drops them. So inside
 *       one JVM a plain lock comes first, the same for every store on the directory, and only its
 *       holder has the file open.
 *   <li>An interrupt closes a channel that is being waited on. So every right has a channel of its
 *       own, and losing it harms nobody else.
 *   <li>The kernel takes two processes for deadlocked when two threads of each wait crosswise,
 *       though the threads are independent. So nobody waits in the kernel: we ask again.
 * </ul>
 *
 * All stores on a directory in one JVM must come from one class loader, for the plain locks' sake.
 */
final class StripeLocks implements AutoCloseable {
  private static final int STRIPES = 256;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long SHORTEST_PAUSE_NANOS = 50_000;
  private static final long LONGEST_PAUSE_NANOS = 2_000_000;
  private static final SharedByName<Path, ReentrantLock[]> IN_THIS_JVM = new SharedByName<>();

  private final Path folder;
  private final ReentrantLock[] mutexes;

  /**
   * The rights of a folder that exists.
   *
   * @param folder its real path, so that two names of it mean the same
   */
  StripeLocks(Path folder) {
    this.folder = folder;
    this.mutexes = IN_THIS_JVM.join(folder, StripeLocks::newMutexes);
  }

  /** Waits for the right to this key. */
  Held lock(String key) throws IOException {
    int stripe = Math.floorMod(key.hashCode() * 0x9E3779B9 >>> 8, STRIPES);
    Path file = folder.resolve("%02x".formatted(stripe));
    ReentrantLock mutex = mutexes[stripe];
    long end = System.nanoTime() + PATIENCE.toNanos();
    if (!lock(mutex)) {
      throw busy(file);
    }
    FileChannel channel = null;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      long pause = SHORTEST_PAUSE_NANOS;
      while (channel.tryLock() == null) {
        if (System.nanoTime() - end > 0) {
          throw busy(file);
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pause) + 1);
        pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      }
      return new Held(mutex, channel);
    } catch (IOException | RuntimeException e) {
      new Held(mutex, channel).close();
      throw e;
    }
  }

  @Override
  public void close() {
    IN_THIS_JVM.leave(folder);
  }

  /** A right, until it is closed. */
  record Held(ReentrantLock mutex, FileChannel channel) implements AutoCloseable {
    /**
     * Gives the right back.
     *
     * @throws UncheckedIOException if the file cannot be closed; what was done under it is done
     */
    @Override
    public void close() {
      try {
        if (channel != null) {
          channel.close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException("A lock in the store's directory was not released", e);
      } finally {
        mutex.unlock();
      }
    }
  }

  private static boolean lock(ReentrantLock mutex) {
    try {
      return mutex.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("Interrupted while waiting for the lock of a key", e);
    }
  }

  private static StoreUnavailableException busy(Path file) {
    return new StoreUnavailableException(
        "Another process has held the lock %s for %d s. Is it stopped? Find it with 'fuser %s'."
            .formatted(file, PATIENCE.toSeconds(), file));
  }

  private static ReentrantLock[] newMutexes() {
    ReentrantLock[] mutexes = new ReentrantLock[STRIPES];
    for (int i = 0; i < STRIPES; i++) {
      mutexes[i] = new ReentrantLock();
    }
    return mutexes;
  }
}
