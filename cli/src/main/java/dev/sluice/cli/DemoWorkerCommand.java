package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Group;
import dev.sluice.JobContext;
import dev.sluice.Sluice;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import dev.sluice.cli.demo.DemoTask;
import dev.sluice.cli.demo.EventFile;
import dev.sluice.cli.demo.Tally;
import dev.sluice.cli.demo.WorkerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jline.utils.Signals;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A worker of the demo, in a process of its own; see {@link WorkerProcess} for how it talks. */
@Command(name = DemoWorkerCommand.NAME, hidden = true)
final class DemoWorkerCommand implements Callable<Integer> {
  static final String NAME = "demo-worker";
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Duration REPORT = Duration.ofMillis(100);

  private final SluiceCommand root;
  private final Tally tally = new Tally();

  @Option(names = "--queue", required = true)
  private String queue;

  @Option(names = "--events", required = true)
  private Path events;

  DemoWorkerCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    // Ctrl-C reaches every process of the terminal; when to stop is the demo's to say.
    Signals.register("INT", () -> {});
    Thread main = Thread.currentThread();
    Thread untilEnd = new Thread(() -> awaitEndOfInput(main), "sluice-demo-until-end");
    untilEnd.setDaemon(true);
    try (Sluice sluice = root.open();
        EventFile file = EventFile.create(events)) {
      WorkerBuilder builder = sluice.worker().queues(queue).lease(LEASE).grace(GRACE);
      for (DemoTask task : DemoTask.ALL) {
        builder.handle(task.task(), (payload, context) -> work(task, payload, context, file));
      }
      try (Worker worker = builder.start()) {
        root.say(WorkerProcess.READY);
        untilEnd.start();
        report();
      }
      root.say(tally.line());
    }
    return ExitCode.OK;
  }

  private void work(DemoTask task, JsonNode payload, JobContext context, EventFile file)
      throws IOException, InterruptedException {
    Group group = task.groupOf(payload);
    file.started(group);
    tally.started(group);
    try {
      Thread.sleep(
          ThreadLocalRandom.current().nextInt(task.work().shortest(), task.work().longest() + 1));
    } finally {
      tally.ended(group);
      file.ended(group);
    }
  }

  private void report() {
    try {
      while (true) {
        Thread.sleep(REPORT.toMillis());
        root.say(tally.line());
      }
    } catch (InterruptedException e) {
      // The demo said stop: return, and let the worker drain.
    }
  }

  private static void awaitEndOfInput(Thread main) {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever said; only the end matters.
      }
    } catch (IOException e) {
      // A broken pipe is an end too.
    }
    main.interrupt();
  }
}
