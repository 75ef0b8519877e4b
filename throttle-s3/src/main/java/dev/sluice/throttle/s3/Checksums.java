package dev.sluice.throttle.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Checksums of files, in a buffer's worth of memory. */
final class Checksums {
  private static final int BUFFER = 1 << 16;

  private Checksums() {}

  /** The CRC-32C, in hexadecimal; as fast as a disk reads. */
  static String crc32c(Path file) throws IOException {
    CRC32C crc = new CRC32C();
    try (InputStream stream = Files.newInputStream(file)) {
      byte[] buffer = new byte[BUFFER];
      for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
        crc.update(buffer, 0, count);
      }
    }
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  static String md5Hex(Path file) throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      return HexFormat.of().formatHex(md5(stream));
    }
  }

  /** The MD5 as the header {@code Content-MD5} has it, which every server compares. */
  static String contentMd5(Path file, Slice slice) throws IOException {
    try (InputStream stream = new SliceStream(file, slice)) {
      return Base64.getEncoder().encodeToString(md5(stream));
    }
  }

  private static byte[] md5(InputStream stream) throws IOException {
    MessageDigest digest = digest();
    byte[] buffer = new byte[BUFFER];
    for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
      digest.update(buffer, 0, count);
    }
    return digest.digest();
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has MD5", e);
    }
  }
}
