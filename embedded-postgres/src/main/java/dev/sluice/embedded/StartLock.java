package dev.sluice.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The right to start or stop a server, held by one thread of one process of the machine at a time.
 *
 * <p>The kernel takes the file lock back when its process dies, so there is nothing to clean up
 * after a crash. Inside one JVM a plain lock comes first: a POSIX lock belongs to the process, and
 * closing any descriptor of the file would drop it for every thread.
 */
final class StartLock implements AutoCloseable {

  /** Longer than a start and a stop together may take. */
  static final Duration DEFAULT_PATIENCE = Duration.ofMinutes(4);

  private static final ConcurrentHashMap<Path, ReentrantLock> IN_THIS_JVM =
      new ConcurrentHashMap<>();

  private final ReentrantLock mutex;
  private final FileChannel channel;

  private StartLock(ReentrantLock mutex, FileChannel channel) {
    this.mutex = mutex;
    this.channel = channel;
  }

  static StartLock acquire(Path file, Duration patience) {
    Patience left = new Patience(patience);
    ReentrantLock mutex = IN_THIS_JVM.computeIfAbsent(file, f -> new ReentrantLock());
    try {
      if (!mutex.tryLock(left.remaining().toNanos(), TimeUnit.NANOSECONDS)) {
        throw busy(file, patience);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for " + file, e);
    }
    FileChannel channel = null;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      while (!tryLock(channel)) {
        if (left.isOver()) {
          throw busy(file, patience);
        }
        left.pause();
      }
      return new StartLock(mutex, channel);
    } catch (IOException e) {
      release(mutex, channel);
      throw new UncheckedIOException(
          "The lock file " + file + " cannot be used. Check that its directory is writable.", e);
    } catch (RuntimeException e) {
      release(mutex, channel);
      throw e;
    }
  }

  @Override
  public void close() {
    release(mutex, channel);
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException anotherClassLoader) {
      return false;
    }
  }

  private static void release(ReentrantLock mutex, FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The start lock could not be released", e);
    } finally {
      mutex.unlock();
    }
  }

  private static IllegalStateException busy(Path file, Duration patience) {
    return new IllegalStateException(
        "Another process has been starting or stopping the server in %s for %d s. Find it with 'fuser %s'."
            .formatted(file.getParent(), patience.toSeconds(), file));
  }
}
