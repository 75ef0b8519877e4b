package dev.sluice.throttle.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Checksums of files, in a buffer's worth of memory. A file may take minutes to read, so an
 * interrupt is looked for with every buffer.
 */
final class Checksums {
  private static final int BUFFER = 1 << 16;

  private Checksums() {}

  /**
   * The CRC-32C of a file and of its parts, as one reading found them.
   *
   * @param whole in hexadecimal
   * @param parts those of its slices, in their order
   */
  record Crc(String whole, List<Long> parts) {
    private long of(Slice slice) {
      return slice.length() == 0 ? 0 : parts.get(slice.number() - 1);
    }
  }

  /** What is told of each buffer that is read. */
  private interface Sink {
    void update(byte[] buffer, int offset, int count);
  }

  /** The CRC-32C, in hexadecimal; as fast as a disk reads. */
  static String crc32c(Path file) throws IOException, InterruptedException {
    CRC32C crc = new CRC32C();
    try (InputStream stream = Files.newInputStream(file)) {
      read(stream, crc::update);
    }
    return hex(crc);
  }

  /** The same, and those of these slices, which cover the file. */
  static Crc crc32c(Path file, List<Slice> slices) throws IOException, InterruptedException {
    CRC32C whole = new CRC32C();
    List<Long> parts = new ArrayList<>();
    for (Slice slice : slices) {
      CRC32C part = new CRC32C();
      read(
          file,
          slice,
          (buffer, offset, count) -> {
            whole.update(buffer, offset, count);
            part.update(buffer, offset, count);
          });
      parts.add(part.getValue());
    }
    return new Crc(hex(whole), parts);
  }

  static String md5Hex(Path file) throws IOException, InterruptedException {
    MessageDigest digest = digest();
    try (InputStream stream = Files.newInputStream(file)) {
      read(stream, digest::update);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /**
   * The MD5 as the header {@code Content-MD5} has it, which every server compares.
   *
   * @throws IntegrityException if the slice is not what it was
   */
  static String contentMd5(Path file, Slice slice, Crc before)
      throws IOException, InterruptedException {
    MessageDigest digest = digest();
    CRC32C crc = new CRC32C();
    read(
        file,
        slice,
        (buffer, offset, count) -> {
          digest.update(buffer, offset, count);
          crc.update(buffer, offset, count);
        });
    if (crc.getValue() != before.of(slice)) {
      throw IntegrityException.changed(file);
    }
    return Base64.getEncoder().encodeToString(digest.digest());
  }

  private static void read(Path file, Slice slice, Sink sink)
      throws IOException, InterruptedException {
    try (InputStream stream = new SliceStream(file, slice)) {
      read(stream, sink);
    } catch (ClosedByInterruptException e) {
      Thread.interrupted();
      throw interrupt(file, e);
    }
  }

  private static void read(InputStream stream, Sink sink) throws IOException, InterruptedException {
    byte[] buffer = new byte[BUFFER];
    for (int count = 0; count >= 0; count = stream.read(buffer)) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while a file was hashed");
      }
      sink.update(buffer, 0, count);
    }
  }

  private static InterruptedException interrupt(Path file, IOException cause) {
    InterruptedException interrupt = new InterruptedException("interrupted while hashing " + file);
    interrupt.initCause(cause);
    return interrupt;
  }

  private static String hex(CRC32C crc) {
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has MD5", e);
    }
  }
}
