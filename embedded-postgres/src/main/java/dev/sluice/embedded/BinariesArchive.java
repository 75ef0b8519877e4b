package dev.sluice.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.jar.JarEntry;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** An archive ({@code .txz}) of PostgreSQL programs, on the class path or anywhere else. */
record BinariesArchive(URL location) {

  /** A directory name that is different for different contents. */
  String fingerprint() throws IOException {
    URLConnection connection = location.openConnection();
    if (connection instanceof JarURLConnection jar) {
      JarEntry entry = jar.getJarEntry();
      if (entry != null && entry.getCrc() >= 0 && entry.getSize() >= 0) {
        return name(entry.getSize(), entry.getCrc());
      }
    }
    CRC32 crc = new CRC32();
    try (InputStream in = new CheckedInputStream(connection.getInputStream(), crc)) {
      return name(in.transferTo(OutputStream.nullOutputStream()), crc.getValue());
    }
  }

  /** Unpacks everything below an existing directory, readable for every user. */
  void unpack(Path target) throws IOException {
    makeAccessible(target, true);
    try (InputStream in = new BufferedInputStream(location.openStream());
        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(in))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        unpack(entry, tar, target);
      }
    }
  }

  private void unpack(TarArchiveEntry entry, InputStream content, Path target) throws IOException {
    Path file = inside(target, entry.getName());
    if (entry.isDirectory()) {
      createDirectories(file, target);
      return;
    }
    createDirectories(file.getParent(), target);
    if (entry.isSymbolicLink()) {
      inside(target, target.relativize(file.resolveSibling(entry.getLinkName())).toString());
      Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
    } else if (entry.isLink()) {
      Files.createLink(file, inside(target, entry.getLinkName()));
    } else {
      Files.copy(content, file);
      makeAccessible(file, (entry.getMode() & 0100) != 0);
    }
  }

  private Path inside(Path target, String name) throws IOException {
    Path file = target.resolve(name).normalize();
    if (!file.startsWith(target)) {
      throw new IOException(location + " holds an entry outside of itself: " + name);
    }
    return file;
  }

  private static void createDirectories(Path directory, Path target) throws IOException {
    Files.createDirectories(directory);
    for (Path d = directory; !d.equals(target); d = d.getParent()) {
      makeAccessible(d, true);
    }
  }

  private static void makeAccessible(Path file, boolean executable) throws IOException {
    String permissions = executable ? "rwxr-xr-x" : "rw-r--r--";
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private static String name(long size, long crc) {
    return "postgres-%d-%08x".formatted(size, crc);
  }
}
