package dev.sluice.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * This process's place among the users of a server: a FIFO held open, under a shared lock.
 *
 * <p>The kernel counts for us, and takes the seat back when the process dies in whatever way. The
 * supervisor reads the FIFO and sees its end when the last seat is gone; a process that leaves asks
 * the lock whether it was the last. Taken and left under the {@link StartLock} only.
 */
final class UserSeat {

  private final RandomAccessFile fifo;
  private final FileLock lock;

  private UserSeat(RandomAccessFile fifo, FileLock lock) {
    this.fifo = fifo;
    this.lock = lock;
  }

  static UserSeat take(Path path) {
    RandomAccessFile fifo = null;
    try {
      if (!Files.exists(path)) {
        Command.of("mkfifo", "-m", "600", path.toString()).runOrThrow("Creating the FIFO " + path);
      }
      if (Files.isRegularFile(path)) {
        // A copy of the directory made by a tool that does not know FIFOs.
        throw new IllegalStateException(path + " is not a FIFO. Delete it and try again.");
      }
      // Reading and writing: an open for writing alone would wait for a reader.
      fifo = new RandomAccessFile(path.toFile(), "rw");
      FileLock lock = fifo.getChannel().tryLock(0, Long.MAX_VALUE, true);
      if (lock == null) {
        throw new IllegalStateException(path + " is locked by a program that is not Sluice.");
      }
      return new UserSeat(fifo, lock);
    } catch (IOException e) {
      closeQuietly(fifo);
      throw new UncheckedIOException("The FIFO " + path + " cannot be used", e);
    } catch (OverlappingFileLockException e) {
      closeQuietly(fifo);
      throw new IllegalStateException(
          "Another class loader of this JVM uses the embedded PostgreSQL in "
              + path.getParent()
              + ". Share it through a common parent class loader.",
          e);
    } catch (RuntimeException e) {
      closeQuietly(fifo);
      throw e;
    }
  }

  /** Gives the seat back, and says whether it was the last one. */
  boolean leave() {
    try (RandomAccessFile closing = fifo) {
      FileChannel channel = closing.getChannel();
      lock.release();
      return channel.tryLock() != null;
    } catch (IOException e) {
      throw new UncheckedIOException("Leaving the embedded PostgreSQL failed", e);
    }
  }

  private static void closeQuietly(RandomAccessFile file) {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException ignored) {
      // The failure that brought us here is the one to report.
    }
  }
}
