package dev.sluice.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * PostgreSQL's data directory: made once, then only checked.
 *
 * <p>{@code initdb} works in a draft directory that is renamed when it is complete and on disk,
 * after the password has been written. A process killed at any point leaves either a whole data
 * directory with its password, or none.
 */
record DatabaseCluster(ServerFiles files, Privileges privileges) {

  private static final String DRAFT = "data.draft-";
  private static final int FIRST_BUILTIN_LOCALE = 17;

  /** Creates the data directory if there is none, and checks that the binaries fit it. */
  void prepare(Binaries binaries) {
    try {
      if (!Files.exists(files.data().resolve("PG_VERSION"))) {
        create(binaries);
      }
      privileges.giveOwnership(files.data());
      String written = Files.readString(files.data().resolve("PG_VERSION")).strip();
      if (!written.equals(Integer.toString(binaries.major()))) {
        throw new IllegalStateException(
            "%s was written by PostgreSQL %s, and these binaries are PostgreSQL %s. Use binaries of version %s, or dump the data with them and restore it into a new directory."
                .formatted(files.data(), written, binaries.version(), written));
      }
      removeStalePid();
    } catch (IOException e) {
      throw new UncheckedIOException(
          files.data() + " cannot be used as a data directory. Check its permissions.", e);
    }
  }

  private void create(Binaries binaries) throws IOException {
    sweepDrafts();
    Credentials credentials = Credentials.generate(new SecureRandom());
    credentials.write(files.password());
    Path passwordOnly = files.directory().resolve("initdb.password");
    Path draft = Files.createTempDirectory(files.directory(), DRAFT);
    try {
      Credentials.writePrivately(passwordOnly, credentials.password());
      privileges.giveOwnership(passwordOnly);
      privileges.giveOwnership(draft);
      new Command(initdb(binaries, draft, passwordOnly))
          .through(privileges.prefix())
          .runOrThrow("Creating the database in " + files.directory());
    } finally {
      Files.deleteIfExists(passwordOnly);
    }
    Files.move(draft, files.data(), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(files.directory(), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private static List<String> initdb(Binaries binaries, Path data, Path passwordFile) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of(binaries.program("initdb"), "-D", data.toString()));
    words.addAll(List.of("-U", Credentials.USER, "--pwfile=" + passwordFile));
    words.addAll(List.of("-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--data-checksums"));
    if (binaries.major() >= FIRST_BUILTIN_LOCALE) {
      words.addAll(List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
    }
    return words;
  }

  /**
   * Deletes the pid file of a server that was killed.
   *
   * <p>PostgreSQL would do it itself, but takes any process with the old number for the old server:
   * a zombie that nobody has waited for, or a stranger after a restart of the container. We know
   * better, because no process holds the server lock. What is left is a server that somebody
   * started by hand, which works in the data directory.
   */
  private void removeStalePid() throws IOException {
    Path pidFile = files.data().resolve("postmaster.pid");
    if (!Files.exists(pidFile)) {
      return;
    }
    List<String> lines = Files.readAllLines(pidFile);
    String pid = lines.isEmpty() ? "" : lines.get(0).strip();
    if (pid.matches("\\d+") && worksIn(pid, files.data())) {
      throw new IllegalStateException(
          "A PostgreSQL that Sluice did not start runs in %s, as process %s. Stop it first."
              .formatted(files.data(), pid));
    }
    Files.deleteIfExists(pidFile);
  }

  private static boolean worksIn(String pid, Path directory) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", pid, "cwd")).equals(directory);
    } catch (IOException goneOrZombieOrStranger) {
      return false;
    }
  }

  private void sweepDrafts() throws IOException {
    try (DirectoryStream<Path> drafts = Files.newDirectoryStream(files.directory(), DRAFT + "*")) {
      for (Path draft : drafts) {
        try {
          BinariesCache.deleteTree(draft);
        } catch (IOException stillWrittenTo) {
          // An initdb may outlive the process that started it by a moment. The next one sweeps.
        }
      }
    }
  }

  /** Creates the server's directory, open to nobody but those who need it. */
  static Path createDirectory(Path directory, Privileges privileges) {
    try {
      Path absolute = directory.toAbsolutePath().normalize();
      if (Files.exists(absolute.resolve("PG_VERSION"))) {
        throw new IllegalStateException(
            absolute
                + " is the data directory of another PostgreSQL. Choose a directory of its own.");
      }
      if (!Files.exists(absolute)) {
        Files.createDirectories(absolute);
        Files.setPosixFilePermissions(absolute, PosixFilePermissions.fromString("rwx------"));
      }
      if (!Files.isDirectory(absolute) || !Files.isWritable(absolute)) {
        throw new IllegalStateException(
            absolute + " is not a writable directory. Change its permissions or choose another.");
      }
      if (privileges.changesUser()) {
        // The server's user passes through to the data; what else lies here stays closed to it.
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(absolute);
        permissions.add(PosixFilePermission.OTHERS_EXECUTE);
        Files.setPosixFilePermissions(absolute, permissions);
      }
      return absolute.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The directory %s for the embedded PostgreSQL cannot be created. Change the permissions of its parent or choose another."
              .formatted(directory),
          e);
    }
  }
}
