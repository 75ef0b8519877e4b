package dev.sluice.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The unpacked binaries, kept per user so that only the first start pays for unpacking.
 *
 * <p>An archive is unpacked into a draft directory that gets its real name, the archive's
 * fingerprint, in one rename. So a directory with a real name is complete, whoever was killed when.
 * Drafts are made and swept under a lock.
 */
record BinariesCache(List<Path> candidates) {

  private static final Duration UNPACK_PATIENCE = Duration.ofMinutes(2);
  private static final String DRAFT = "draft-";

  /** The places to try, best first. */
  static BinariesCache ofUser(Map<String, String> environment, int user) {
    List<Path> places = new ArrayList<>();
    String cacheHome = environment.getOrDefault("XDG_CACHE_HOME", "");
    if (cacheHome.startsWith("/")) {
      places.add(Path.of(cacheHome, "sluice"));
    }
    String home = System.getProperty("user.home", "");
    if (home.startsWith("/")) {
      places.add(Path.of(home, ".cache", "sluice"));
    }
    if (user == 0) {
      // Root's home is closed to the user that the server may have to run as.
      places.add(Path.of("/var/cache/sluice"));
    }
    places.add(Path.of(System.getProperty("java.io.tmpdir"), "sluice-cache-" + user));
    return new BinariesCache(List.copyOf(places));
  }

  /**
   * Unpacks the archive, unless that has been done, where the server's user can reach it.
   *
   * @throws IllegalStateException if no candidate works, with the reason for each
   */
  Binaries find(BinariesArchive archive, Privileges privileges) {
    List<String> reasons = new ArrayList<>();
    for (Path place : candidates) {
      try {
        prepare(place, privileges);
        return Binaries.probe(unpackOnce(place, archive), privileges);
      } catch (IOException | IllegalStateException e) {
        reasons.add(place + ": " + e);
      }
    }
    throw new IllegalStateException(
        "The PostgreSQL binaries could not be unpacked to any place where they run. Point"
            + " XDG_CACHE_HOME to a writable directory.\n"
            + String.join("\n", reasons));
  }

  private static void prepare(Path place, Privileges privileges) throws IOException {
    if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(place);
      Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    // In a shared temporary directory somebody else may have been first, with other programs.
    Set<PosixFilePermission> permissions =
        Files.getPosixFilePermissions(place, LinkOption.NOFOLLOW_LINKS);
    if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)
        || Privileges.ownerOf(place) != Privileges.currentUser()
        || permissions.contains(PosixFilePermission.GROUP_WRITE)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException("not a directory that only its owner, the current user, can write");
    }
    if (!Command.of("test", "-x", place.toString())
        .through(privileges.prefix())
        .run()
        .succeeded()) {
      throw new IOException("out of reach for the user that the server runs as");
    }
  }

  private static Path unpackOnce(Path place, BinariesArchive archive) throws IOException {
    Path home = place.resolve(archive.fingerprint());
    if (Files.isDirectory(home)) {
      return home;
    }
    try (StartLock ignored = StartLock.acquire(place.resolve("unpack.lock"), UNPACK_PATIENCE)) {
      if (!Files.isDirectory(home)) {
        sweepDrafts(place);
        Path draft = Files.createTempDirectory(place, DRAFT);
        archive.unpack(draft);
        Files.move(draft, home, StandardCopyOption.ATOMIC_MOVE);
      }
    }
    return home;
  }

  private static void sweepDrafts(Path place) throws IOException {
    try (DirectoryStream<Path> drafts = Files.newDirectoryStream(place, DRAFT + "*")) {
      for (Path draft : drafts) {
        deleteTree(draft);
      }
    }
  }

  static void deleteTree(Path tree) throws IOException {
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(tree)) {
      paths = new ArrayList<>(walk.toList());
    }
    for (int i = paths.size() - 1; i >= 0; i--) {
      Files.deleteIfExists(paths.get(i));
    }
  }
}
