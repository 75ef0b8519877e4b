package dev.sluice.throttle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A cgroup below that of this process, on whichever version this machine has; gone when closed. One
 * directory on version 2, one in the hierarchy of each controller on version 1.
 */
final class RealCgroup implements AutoCloseable {
  private static final String NAME = "sluice-test-" + ProcessHandle.current().pid();

  private final List<Path> directories = new ArrayList<>();

  private RealCgroup() {}

  /**
   * Lets processes have this much of a processor's time, as a fraction.
   *
   * @throws IOException if this process may not do that
   */
  static RealCgroup withQuota(double processors) throws IOException {
    int period = 100_000;
    String quota = Long.toString(Math.round(processors * period));
    RealCgroup cgroup = new RealCgroup();
    try {
      CgroupMounts mounts = new CgroupMounts(Path.of("/"));
      List<String> v1 = mounts.of("cpu");
      if (v1.isEmpty()) {
        cgroup.create(mounts.unified(), "cpu");
        cgroup.write("cpu.max", quota + " " + period);
      } else {
        cgroup.create(v1, "");
        cgroup.write("cpu.cfs_period_us", Integer.toString(period));
        cgroup.write("cpu.cfs_quota_us", quota);
      }
      return cgroup;
    } catch (IOException | RuntimeException e) {
      cgroup.close();
      throw e;
    }
  }

  /** Lets processes run on the first of the processors that this one may use. */
  static RealCgroup withOneProcessor() throws IOException {
    RealCgroup cgroup = new RealCgroup();
    try {
      CgroupMounts mounts = new CgroupMounts(Path.of("/"));
      List<String> v1 = mounts.of("cpuset");
      boolean unified = v1.isEmpty();
      cgroup.create(unified ? mounts.unified() : v1, unified ? "cpuset" : "");
      Path parent = cgroup.directories.get(0).getParent();
      String all =
          Files.readString(parent.resolve(unified ? "cpuset.cpus.effective" : "cpuset.cpus"));
      cgroup.write("cpuset.cpus", all.strip().split("[-,]")[0]);
      if (!unified) {
        cgroup.write("cpuset.mems", Files.readString(parent.resolve("cpuset.mems")).strip());
      }
      return cgroup;
    } catch (IOException | RuntimeException e) {
      cgroup.close();
      throw e;
    }
  }

  private void create(List<String> hierarchy, String controller) throws IOException {
    if (hierarchy.isEmpty()) {
      throw new IOException("this machine has no cgroups");
    }
    Path parent = Path.of(hierarchy.get(0));
    if (!controller.isEmpty()) {
      Files.writeString(parent.resolve("cgroup.subtree_control"), "+" + controller);
    }
    directories.add(Files.createDirectory(parent.resolve(NAME + "-" + System.nanoTime())));
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(directories.get(0).resolve(file), text);
  }

  /** The command that runs another inside. */
  List<String> enclose(List<String> command) {
    List<String> all = new ArrayList<>(List.of("sh", "-c", "echo $$ > \"$0\" && exec \"$@\""));
    all.add(directories.get(0).resolve("cgroup.procs").toString());
    all.addAll(command);
    return all;
  }

  @Override
  public void close() throws IOException {
    Collections.reverse(directories);
    for (Path directory : directories) {
      Files.deleteIfExists(directory);
    }
  }
}
