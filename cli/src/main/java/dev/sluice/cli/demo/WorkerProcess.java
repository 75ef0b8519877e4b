package dev.sluice.cli.demo;

import dev.sluice.Group;
import dev.sluice.cli.demo.Tally.Numbers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A worker of the demo in a process of its own. It says on standard output that it is ready and
 * then, again and again, its {@link Tally}; the end of its standard input tells it to stop, so it
 * never outlives the demo.
 */
public final class WorkerProcess implements DemoWorker {
  /** What the process says when it has signed on. */
  public static final String READY = "ready";

  private static final Duration AWAIT_END = Duration.ofSeconds(15);

  private final Process process;
  private final Path events;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private volatile Map<Group, Numbers> numbers = Map.of();
  private volatile long goneAt;

  private WorkerProcess(Process process, Path events) {
    this.process = process;
    this.events = events;
    Thread reader = new Thread(this::listen, "sluice-demo-listener");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts this very program with other arguments.
   *
   * @param mainClass the program
   * @param arguments its arguments
   * @param storeUrl handed over in the environment, where a password is not for all to see
   * @param events where it records starts and ends
   */
  public static WorkerProcess start(
      String mainClass, List<String> arguments, String storeUrl, Path events) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A demo worker sleeps for a living: a small heap, and a quick start on a shared machine.
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
    builder.environment().put("SLUICE_STORE_URL", storeUrl);
    return new WorkerProcess(builder.start(), events);
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(READY)) {
          ready.complete(true);
        } else {
          numbers = Tally.read(line);
        }
      }
    } catch (IOException e) {
      // The pipe broke because the process is gone, as below.
    }
    process.onExit().join();
    goneAt = System.nanoTime();
    Map<Group, Numbers> last = new TreeMap<>();
    numbers.forEach((group, n) -> last.put(group, new Numbers(0, n.done())));
    numbers = last;
    ready.complete(false);
  }

  @Override
  public boolean awaitReady() {
    return ready.join();
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  @Override
  public Map<Group, Numbers> numbers() {
    return numbers;
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(AWAIT_END.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (IOException e) {
      // Gone already.
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Peaks.Record record() throws IOException {
    return new Peaks.Record(EventFile.read(events), goneAt == 0 ? System.nanoTime() : goneAt);
  }
}
