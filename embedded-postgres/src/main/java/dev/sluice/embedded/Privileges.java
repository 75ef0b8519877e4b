package dev.sluice.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * How the server's programs are started, because PostgreSQL refuses to run as root.
 *
 * <p>An ordinary user starts them directly. Root starts them in a user namespace of their own,
 * where they keep root's files but none of its powers; where the kernel or a container forbids
 * that, they run as {@code nobody} and the data directory is given to that user.
 *
 * @param prefix the words that go before a program's own
 * @param owner the numeric user that must own the data directory
 */
record Privileges(List<String> prefix, int owner) {

  private static final int ROOT = 0;
  private static final int NOBODY = 65534;

  static final Privileges AS_NOBODY =
      new Privileges(
          List.of(
              "setpriv",
              "--reuid=" + NOBODY,
              "--regid=" + NOBODY,
              "--clear-groups",
              "--inh-caps=-all"),
          NOBODY);

  static Privileges detect() {
    int user = currentUser();
    if (user != ROOT) {
      return new Privileges(List.of(), user);
    }
    Privileges namespace = new Privileges(List.of("unshare", "-U"), ROOT);
    return namespace.work() ? namespace : AS_NOBODY;
  }

  static int currentUser() {
    Path status = Path.of("/proc/self/status");
    try (Stream<String> lines = Files.lines(status)) {
      // "Uid: real effective saved filesystem"
      String line = lines.filter(l -> l.startsWith("Uid:")).findFirst().orElseThrow();
      return Integer.parseInt(line.split("\\s+")[2]);
    } catch (IOException e) {
      throw new UncheckedIOException("The current user could not be read from " + status, e);
    }
  }

  static int ownerOf(Path file) {
    try {
      return (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw new UncheckedIOException("The owner of " + file + " could not be read", e);
    }
  }

  /** Whether the server runs as somebody else, who needs access to what it touches. */
  boolean changesUser() {
    return owner != currentUser();
  }

  /**
   * Refuses a directory whose database belongs to another user: joining it would take it from them.
   *
   * @throws IllegalStateException if it does; nothing has been changed
   */
  static void requireOwn(Path directory, Path data) {
    if (!Files.exists(data)) {
      return;
    }
    int user = currentUser();
    int owner = ownerOf(data);
    boolean ours = owner == user || (user == ROOT && owner == NOBODY && ownerOf(directory) == ROOT);
    if (!ours) {
      throw new IllegalStateException(
          "The database in %s belongs to the user with number %d, and this process runs as number %d. Run it as that user, or name another directory; nothing was changed."
              .formatted(directory, owner, user));
    }
  }

  /** Hands a file or a whole directory to the server's user, if that is not done already. */
  void giveOwnership(Path path) {
    if (currentUser() == ROOT && ownerOf(path) != owner) {
      Command.of("chown", "-R", owner + ":" + owner, path.toString())
          .runOrThrow("Giving " + path + " to the server's user");
    }
  }

  private boolean work() {
    try {
      return Command.of("true").through(prefix).run().succeeded();
    } catch (IllegalStateException noSuchProgram) {
      return false;
    }
  }
}
