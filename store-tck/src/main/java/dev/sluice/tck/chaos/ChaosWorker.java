package dev.sluice.tck.chaos;

import dev.sluice.JobContext;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.WorkerListener;
import dev.sluice.tck.chaos.ChaosEvent.Kind;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A worker process of the chaos test. It logs what its handlers do, one {@code write} per line, so
 * that what was logged survives a kill; it ends when its standard input does.
 *
 * <p>Arguments: namespace, directory of the logs, lease in milliseconds. The store's URL comes from
 * the environment, because it may hold a password.
 */
public final class ChaosWorker {
  static final String URL_VARIABLE = "SLUICE_CHAOS_URL";

  private final OutputStream log;

  private ChaosWorker(OutputStream log) {
    this.log = log;
  }

  /** Runs until standard input ends. */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[1]);
    Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
    Path file = directory.resolve(ProcessHandle.current().pid() + ".events");
    try (OutputStream log = new FileOutputStream(file.toFile(), true);
        Sluice sluice =
            Sluice.open(
                SluiceOptions.url(System.getenv(URL_VARIABLE))
                    .schema(arguments[0])
                    .connections(4));
        Worker worker = new ChaosWorker(log).start(sluice.worker(), lease)) {
      while (System.in.read() >= 0) {
        // Nothing is expected; the end of the input is the signal.
      }
      worker.stop(Duration.ofSeconds(5));
    }
  }

  private Worker start(WorkerBuilder builder, Duration lease) {
    for (Task<ChaosWork> task : ChaosWork.TASKS) {
      builder.handle(task, this::handle);
    }
    return builder
        .concurrency(24)
        .lease(lease)
        .poll(Duration.ofMillis(250))
        .listener(
            new WorkerListener() {
              @Override
              public void onSuccess(JobContext job, Duration took) {
                write(ChaosEvent.now(Kind.ACCEPTED, job, job.task()));
              }
            })
        .start();
  }

  private void handle(ChaosWork work, JobContext context) throws InterruptedException {
    String group =
        context.task().equals(ChaosWork.KEYED.name())
            ? context.task() + "/" + work.key()
            : context.task();
    write(ChaosEvent.now(Kind.START, context, group));
    try {
      for (int i = 0; i < work.slices(); i++) {
        Thread.sleep(ChaosWork.SLICE_MS);
      }
    } catch (InterruptedException e) {
      write(ChaosEvent.now(Kind.INTERRUPT, context, group));
      throw e;
    }
    write(ChaosEvent.now(Kind.END, context, group));
  }

  private void write(ChaosEvent event) {
    try {
      log.write(event.toLine().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
