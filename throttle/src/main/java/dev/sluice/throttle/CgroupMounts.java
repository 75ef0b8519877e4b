package dev.sluice.throttle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where the cgroups of this process are, as directories: its own first, then the ancestors, up to
 * the top of what is mounted.
 *
 * <p>{@code /proc/self/cgroup} names a path in each hierarchy, {@code /proc/self/mountinfo} where a
 * hierarchy is mounted and which part of it. A container often sees only its own part: then the
 * mount's root is a prefix of the path and has to come off. If the path is not below that root, or
 * climbs out of it with {@code ..}, what is mounted is all that can be seen, and its top is the
 * best answer. A hierarchy may be mounted in several places: the one that shows our path counts,
 * and of those the one whose root is nearest to it, which is what this process was given. Without
 * {@code mountinfo}, hierarchies are looked for where they usually are.
 */
final class CgroupMounts {
  private static final String SYSTEM = "/sys/fs/cgroup";

  private final Path root;
  private final List<Membership> memberships;
  private final List<Mount> mounts;

  /** A line of {@code /proc/self/cgroup}; the unified hierarchy has no controllers there. */
  private record Membership(List<String> controllers, String path) {}

  /** A cgroup hierarchy in the file system. */
  private record Mount(boolean unified, List<String> options, String root, String point) {}

  CgroupMounts(Path root) {
    this.root = root;
    this.memberships = memberships();
    List<Mount> listed = listedMounts();
    this.mounts = listed.isEmpty() ? usualMounts() : listed;
  }

  /** The directories in the unified hierarchy, version 2; empty if there is none. */
  List<String> unified() {
    return directories(mounts.stream().filter(Mount::unified), path(""));
  }

  /** The directories in the hierarchy of this controller, version 1; empty if there is none. */
  List<String> of(String controller) {
    return directories(
        mounts.stream().filter(mount -> !mount.unified && mount.options.contains(controller)),
        path(controller));
  }

  /** The process' path in the hierarchy of a controller, or with an empty name the unified one. */
  private String path(String controller) {
    return memberships.stream()
        .filter(membership -> membership.controllers.contains(controller))
        .findFirst()
        .map(Membership::path)
        .orElse("/");
  }

  private List<String> directories(Stream<Mount> candidates, String path) {
    // Of equals the first, as sorting leaves them in order.
    return candidates
        .sorted(
            Comparator.comparing((Mount mount) -> !shows(mount.root, path))
                .thenComparing(mount -> -mount.root.length())
                .thenComparing(mount -> !(mount.point + "/").startsWith(SYSTEM + "/")))
        .findFirst()
        .map(mount -> directories(mount, path))
        .orElse(List.of());
  }

  private List<String> directories(Mount mount, String path) {
    String below = below(mount.root, path);
    List<String> directories = new ArrayList<>();
    while (!below.isEmpty()) {
      directories.add(mount.point + below);
      below = below.substring(0, below.lastIndexOf('/'));
    }
    directories.add(mount.point);
    return directories.stream().filter(each -> Files.isDirectory(file(each))).toList();
  }

  /** What of a path lies below a mount's root: empty, or with a slash in front. */
  private static String below(String mountRoot, String path) {
    return shows(mountRoot, path)
        ? path.substring(top(mountRoot).length()).replaceFirst("/+$", "")
        : "";
  }

  private static boolean shows(String mountRoot, String path) {
    return (path + "/").startsWith(top(mountRoot) + "/")
        && !Arrays.asList(path.split("/")).contains("..");
  }

  private static String top(String mountRoot) {
    return mountRoot.equals("/") ? "" : mountRoot;
  }

  private List<Membership> memberships() {
    List<Membership> found = new ArrayList<>();
    for (String line : lines("/proc/self/cgroup")) {
      String[] fields = line.split(":", 3);
      if (fields.length == 3 && fields[2].startsWith("/") && fields[2].indexOf('\0') < 0) {
        found.add(new Membership(List.of(fields[1].split(",")), fields[2]));
      }
    }
    return found;
  }

  private List<Mount> listedMounts() {
    List<Mount> found = new ArrayList<>();
    for (String line : lines("/proc/self/mountinfo")) {
      String[] halves = line.split(" - ", 2);
      String[] place = halves[0].split(" ");
      String[] kind = halves.length == 2 ? halves[1].split(" ") : new String[0];
      if (place.length >= 5 && kind.length >= 3 && kind[0].matches("cgroup2?")) {
        found.add(
            new Mount(
                kind[0].equals("cgroup2"),
                List.of(kind[2].split(",")),
                unescaped(place[3]),
                unescaped(place[4])));
      }
    }
    return found;
  }

  private List<Mount> usualMounts() {
    List<Mount> found = new ArrayList<>();
    for (String point : List.of(SYSTEM, SYSTEM + "/unified")) {
      if (Files.exists(file(point + "/cgroup.controllers"))) {
        found.add(new Mount(true, List.of(), "/", point));
      }
    }
    for (String name : List.of("cpu", "cpu,cpuacct", "cpuacct,cpu", "cpuset")) {
      String point = SYSTEM + "/" + name;
      if (Files.isDirectory(file(point))) {
        found.add(new Mount(false, List.of(name.split(",")), "/", point));
      }
    }
    return found;
  }

  /** A file that is not there, or not for us, has no lines: a process may live without either. */
  private List<String> lines(String path) {
    try {
      return Files.readAllLines(file(path));
    } catch (IOException absent) {
      return List.of();
    }
  }

  /** Spaces and the like are octal there. */
  private static String unescaped(String field) {
    return field.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
  }

  private Path file(String path) {
    return root.resolve(path.substring(1));
  }

  /** The text of a file of a cgroup; empty if there is no such file. */
  Optional<String> read(String path) throws IOException {
    Path file = file(path);
    return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
  }
}
