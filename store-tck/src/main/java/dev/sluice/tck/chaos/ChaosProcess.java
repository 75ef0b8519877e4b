package dev.sluice.tck.chaos;

import dev.sluice.JobContext;
import dev.sluice.RetryPolicy;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.WorkerBuilder;
import dev.sluice.WorkerListener;
import dev.sluice.tck.chaos.ChaosEvent.Kind;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * What a program that {@link ChaosFleet} starts needs: the store, a worker to add handlers to, and
 * a log of what these do. Every line of the log is one {@code write}, so what was logged survives a
 * kill.
 *
 * <pre>{@code
 * try (ChaosProcess process = ChaosProcess.begin(arguments);
 *     Worker worker = process.worker().handle(...).start()) {
 *   process.awaitEnd();
 *   worker.stop(ChaosProcess.GRACE);
 * }
 * }</pre>
 */
public final class ChaosProcess implements AutoCloseable {
  /** How long a worker may take to stop when it is told to. */
  public static final Duration GRACE = Duration.ofSeconds(5);

  /** For the tasks of handlers: deaths of workers must never use a job's attempts up. */
  public static final RetryPolicy PATIENT =
      RetryPolicy.exponential()
          .maxAttempts(1_000)
          .firstDelay(Duration.ofMillis(20))
          .multiplier(1)
          .build();

  /** The store's URL comes from the environment, because it may hold a password. */
  static final String URL_VARIABLE = "SLUICE_CHAOS_URL";

  /** How the name of a process's log ends. */
  static final String EVENTS = ".events";

  /** How the name of the file ends that a process makes when it has started. */
  static final String READY = ".ready";

  /** A slice of the time a handler takes. */
  public static final int SLICE_MS = 5;

  private final Path directory;
  private final Duration lease;
  private final OutputStream log;
  private final Sluice sluice;

  private ChaosProcess(Path directory, Duration lease, OutputStream log, Sluice sluice) {
    this.directory = directory;
    this.lease = lease;
    this.log = log;
    this.sluice = sluice;
  }

  /**
   * Opens the store and the log.
   *
   * @param arguments those of the program: namespace, directory of the logs, lease in milliseconds
   */
  public static ChaosProcess begin(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[1]);
    return new ChaosProcess(
        directory,
        Duration.ofMillis(Long.parseLong(arguments[2])),
        new FileOutputStream(file(directory, EVENTS).toFile(), true),
        Sluice.open(
            SluiceOptions.url(System.getenv(URL_VARIABLE)).schema(arguments[0]).connections(4)));
  }

  private static Path file(Path directory, String ending) {
    return directory.resolve(ProcessHandle.current().pid() + ending);
  }

  /** The store. */
  public Sluice sluice() {
    return sluice;
  }

  /** A worker that logs which successes the store accepted. */
  public WorkerBuilder worker() {
    return sluice
        .worker()
        .concurrency(24)
        .lease(lease)
        .poll(Duration.ofMillis(250))
        .listener(
            new WorkerListener() {
              @Override
              public void onSuccess(JobContext job, Duration took) {
                write(Kind.ACCEPTED, job, job.task());
              }
            });
  }

  /** Does what a handler has to do, and logs when it began and how it ended. */
  public <R> R logged(JobContext context, String group, Callable<R> work) throws Exception {
    write(Kind.START, context, group);
    R result;
    try {
      result = work.call();
    } catch (InterruptedException e) {
      write(Kind.INTERRUPT, context, group);
      throw e;
    } catch (Exception e) {
      write(Kind.FAILURE, context, group);
      throw e;
    }
    write(Kind.END, context, group);
    return result;
  }

  /**
   * Takes this many slices of time; counted, not timed, so that a frozen handler still has work to
   * do when it wakes.
   */
  public static void work(int slices, int sliceMs) throws InterruptedException {
    for (int i = 0; i < slices; i++) {
      Thread.sleep(sliceMs);
    }
  }

  /** Says that this process is ready, and returns when it is told to end. */
  public void awaitEnd() throws IOException {
    Files.createFile(file(directory, READY));
    while (System.in.read() >= 0) {
      // Nothing is expected; the end of the input is the signal.
    }
  }

  private void write(Kind kind, JobContext context, String group) {
    try {
      log.write(ChaosEvent.now(kind, context, group).toLine().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    sluice.close();
    log.close();
  }
}
