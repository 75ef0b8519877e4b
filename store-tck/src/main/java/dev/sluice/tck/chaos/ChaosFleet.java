package dev.sluice.tck.chaos;

import dev.sluice.tck.StoreFixture;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The worker processes of a chaos test, and what was done to them. It touches only processes it
 * started. Used by one thread.
 */
final class ChaosFleet implements AutoCloseable {
  private final StoreFixture fixture;
  private final Path directory;
  private final Duration lease;
  private final List<Process> running = new ArrayList<>();
  private final List<Fate> fates = new ArrayList<>();

  /**
   * What was done to a process, on the shared monotonic clock.
   *
   * @param pid to which
   * @param at when the signal was about to be sent: it certainly ran until then, and perhaps a
   *     little longer
   * @param wokenAt when it was woken; empty for a kill
   */
  record Fate(long pid, long at, Long wokenAt) {
    boolean isFreeze() {
      return wokenAt != null;
    }
  }

  /** A process that is frozen just now. */
  record Frozen(Process process, long at) {}

  ChaosFleet(StoreFixture fixture, Path directory, Duration lease) {
    this.fixture = fixture;
    this.directory = directory;
    this.lease = lease;
  }

  List<Process> running() {
    return List.copyOf(running);
  }

  List<Fate> fates() {
    return List.copyOf(fates);
  }

  void spawn() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ChaosWorker.class.getName(),
            fixture.namespace(),
            directory.toString(),
            Long.toString(lease.toMillis()));
    builder.environment().putAll(fixture.environment());
    builder.environment().put(ChaosWorker.URL_VARIABLE, fixture.url());
    File output = directory.resolve("output-" + (fates.size() + running.size()) + ".txt").toFile();
    builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(output));
    running.add(builder.start());
  }

  /** Kills a worker the hard way and starts another in its place. */
  void killAndReplace(Process victim) throws IOException, InterruptedException {
    fates.add(new Fate(victim.pid(), System.nanoTime(), null));
    victim.destroyForcibly().waitFor();
    running.remove(victim);
    spawn();
  }

  Frozen freeze(Process victim) throws IOException, InterruptedException {
    long at = System.nanoTime();
    signal("STOP", victim);
    return new Frozen(victim, at);
  }

  void wake(Frozen frozen) throws IOException, InterruptedException {
    long at = System.nanoTime();
    signal("CONT", frozen.process());
    fates.add(new Fate(frozen.process().pid(), frozen.at(), at));
  }

  private static void signal(String signal, Process process)
      throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    if (status != 0) {
      throw new IllegalStateException("kill -" + signal + " " + process.pid() + ": " + status);
    }
  }

  /** Lets every worker drain and end; true if all did so by themselves. */
  boolean stopAll() throws IOException, InterruptedException {
    for (Process process : running) {
      process.getOutputStream().close();
    }
    boolean all = true;
    for (Process process : running) {
      all &= process.waitFor(30, TimeUnit.SECONDS);
    }
    return all;
  }

  /** Nothing is left behind, whatever happened; a frozen process dies of this too. */
  @Override
  public void close() {
    running.forEach(Process::destroyForcibly);
  }
}
