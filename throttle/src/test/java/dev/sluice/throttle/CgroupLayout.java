package dev.sluice.throttle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The files that a process sees of its cgroups, and how many processors it has by them.
 *
 * @param story what kind of place this is
 * @param files by path, from {@code /}
 */
record CgroupLayout(String story, Map<String, String> files, int jvmProcessors, int cores) {
  static final String V2_MOUNT =
      "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
  static final String V1_MOUNTS =
      v1Mount("/", "/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct")
          + v1Mount("/", "/sys/fs/cgroup/cpuset", "cpuset");

  static String v1Mount(String root, String point, String controllers) {
    return "32 31 0:29 %s %s rw,relatime shared:9 - cgroup cgroup rw,%s\n"
        .formatted(root, point, controllers);
  }

  static CgroupLayout of(String story) {
    return new CgroupLayout(story, new LinkedHashMap<>(), 8, 8);
  }

  /** A place with version 2 alone, and the process at this path. */
  static CgroupLayout v2(String story, String path) {
    return of(story)
        .file("/proc/self/mountinfo", V2_MOUNT)
        .file("/proc/self/cgroup", "0::%s\n".formatted(path))
        .file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory\n");
  }

  /** A place with version 1 alone, and the process at this path. */
  static CgroupLayout v1(String story, String path) {
    return of(story)
        .file("/proc/self/mountinfo", V1_MOUNTS)
        .file(
            "/proc/self/cgroup",
            "12:cpuset:%s\n4:cpu,cpuacct:%s\n1:name=systemd:/\n".formatted(path, path));
  }

  CgroupLayout file(String path, String text) {
    Map<String, String> more = new LinkedHashMap<>(files);
    more.put(path, text);
    return new CgroupLayout(story, more, jvmProcessors, cores);
  }

  /** A quota of version 1. */
  CgroupLayout quota(String directory, String quota, String period) {
    return file(directory + "/cpu.cfs_quota_us", quota)
        .file(directory + "/cpu.cfs_period_us", period);
  }

  CgroupLayout jvm(int processors) {
    return new CgroupLayout(story, files, processors, cores);
  }

  CgroupLayout has(int expected) {
    return new CgroupLayout(story, files, jvmProcessors, expected);
  }

  void writeTo(Path root) {
    files.forEach(
        (path, text) -> {
          try {
            Path file = root.resolve(path.substring(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Override
  public String toString() {
    return story + ": " + cores;
  }
}
