package dev.sluice.tck.chaos;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * The worker processes of a chaos test, and what was done to them. It touches only processes it
 * started. Used by one thread.
 */
public final class ChaosFleet implements AutoCloseable {
  private final Class<?> program;
  private final Venue venue;
  private final Path directory;
  private final Duration lease;
  private final List<Process> running = new ArrayList<>();
  private final List<Fate> fates = new ArrayList<>();

  /**
   * Where its processes work.
   *
   * @param url the store, as other processes open it
   * @param namespace the schema or prefix in it
   * @param environment what else they need in their environment
   */
  public record Venue(String url, String namespace, Map<String, String> environment) {}

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

  /**
   * No processes yet.
   *
   * @param program whose main method they run, with {@link ChaosProcess}
   * @param venue where
   * @param directory where they log
   * @param lease the lease of their workers
   */
  public ChaosFleet(Class<?> program, Venue venue, Path directory, Duration lease) {
    this.program = program;
    this.venue = venue;
    this.directory = directory;
    this.lease = lease;
  }

  List<Process> running() {
    return List.copyOf(running);
  }

  List<Fate> fates() {
    return List.copyOf(fates);
  }

  /** Starts so many processes, and returns when they are ready. */
  public void launch(int processes) throws IOException {
    for (int i = 0; i < processes; i++) {
      spawn();
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> ready() >= processes);
  }

  private int ready() throws IOException {
    try (var files = Files.newDirectoryStream(directory, "*" + ChaosProcess.READY)) {
      int ready = 0;
      for (Path file : files) {
        ready++;
      }
      return ready;
    }
  }

  /** Whether this process has started its worker. */
  boolean isReady(Process process) {
    return Files.exists(directory.resolve(process.pid() + ChaosProcess.READY));
  }

  /** How many handlers are at work in this process, as far as its log tells. */
  int handlersAtWork(Process process) throws IOException {
    if (!isReady(process)) {
      return 0;
    }
    int atWork = 0;
    for (ChaosEvent event :
        ChaosEvent.read(directory.resolve(process.pid() + ChaosProcess.EVENTS))) {
      switch (event.kind()) {
        case START -> atWork++;
        case END, INTERRUPT, FAILURE -> atWork--;
        case ACCEPTED -> {}
      }
    }
    return atWork;
  }

  private void spawn() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dsluice.chaos.seconds=" + ChaosStorm.LENGTH.toSeconds(),
            "-cp",
            System.getProperty("java.class.path"),
            program.getName(),
            venue.namespace(),
            directory.toString(),
            Long.toString(lease.toMillis()));
    builder.environment().putAll(venue.environment());
    builder.environment().put(ChaosProcess.URL_VARIABLE, venue.url());
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
  public boolean stopAll() throws IOException, InterruptedException {
    for (Process process : running) {
      process.getOutputStream().close();
    }
    boolean all = true;
    for (Process process : running) {
      all &= process.waitFor(30, TimeUnit.SECONDS);
    }
    return all;
  }

  /** What happened, as the logs tell it. */
  public ChaosJudge judge() {
    return new ChaosJudge(ChaosEvent.readAll(directory), fates());
  }

  /** Nothing is left behind, whatever happened; a frozen process dies of this too. */
  @Override
  public void close() {
    running.forEach(Process::destroyForcibly);
  }
}
