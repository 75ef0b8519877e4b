package dev.sluice.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The server's only user and its generated password.
 *
 * <p>Kept in a file that nobody else can read, in libpq's format: with {@code PGPASSFILE} set to
 * it, {@code psql} asks for no password.
 */
record Credentials(String user, String password) {

  static final String USER = "postgres";
  private static final int PASSWORD_BYTES = 24;

  static Credentials generate(SecureRandom random) {
    byte[] bytes = new byte[PASSWORD_BYTES];
    random.nextBytes(bytes);
    return new Credentials(USER, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
  }

  static Credentials read(Path file) {
    try {
      String[] fields = Files.readString(file).strip().split(":");
      if (fields.length == 5) {
        return new Credentials(fields[3], fields[4]);
      }
      throw new IllegalStateException(lost(file) + " It does not hold a password line.");
    } catch (NoSuchFileException e) {
      throw new IllegalStateException(lost(file) + " It is missing.", e);
    } catch (IOException e) {
      throw new UncheckedIOException(lost(file), e);
    }
  }

  void write(Path file) {
    writePrivately(file, "127.0.0.1:*:*:%s:%s%n".formatted(user, password));
  }

  /** Writes a file that never was readable for anybody else, not even for a moment. */
  static void writePrivately(Path file, String content) {
    try {
      Path draft = file.resolveSibling(file.getFileName() + ".new");
      Files.deleteIfExists(draft);
      Files.createFile(
          draft,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(draft, content);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("The password file " + file + " could not be written", e);
    }
  }

  /** Never the password. */
  @Override
  public String toString() {
    return user + ":***";
  }

  private static String lost(Path file) {
    return "The password of the embedded PostgreSQL cannot be read from "
        + file
        + ". Restore that file, or move its directory away to begin with an empty database.";
  }
}
