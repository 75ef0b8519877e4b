package dev.sluice.object;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A small file system in memory, mounted on a directory. Only root can. */
record Tmpfs(Path directory) implements AutoCloseable {

  /** Mounts one of this size; fails if root cannot either. */
  static Tmpfs mount(Path directory, int kilobytes) throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=" + kilobytes + "k", "tmpfs", directory.toString());
    return new Tmpfs(directory);
  }

  void makeReadOnly() throws Exception {
    run("mount", "-o", "remount,ro", directory.toString());
  }

  void makeWritable() throws Exception {
    run("mount", "-o", "remount,rw", directory.toString());
  }

  @Override
  public void close() throws Exception {
    run("umount", directory.toString());
  }

  private static void run(String... words) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError(String.join(" ", words) + " failed: " + output);
    }
  }
}
