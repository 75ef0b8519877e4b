package dev.sluice.cli;

import dev.sluice.Sluice;
import dev.sluice.cli.demo.LocalWorker;
import dev.sluice.cli.demo.WorkerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jline.utils.Signals;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A worker of the demo, in a process of its own; see {@link WorkerProcess} for how it talks. */
@Command(name = DemoWorkerCommand.NAME, hidden = true)
final class DemoWorkerCommand implements Callable<Integer> {
  static final String NAME = "demo-worker";
  private static final Duration REPORT = Duration.ofMillis(100);

  private final SluiceCommand root;

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
    try (Sluice sluice = root.open()) {
      LocalWorker worker = LocalWorker.start(sluice, queue, events);
      try (worker) {
        root.say(WorkerProcess.READY);
        untilEnd.start();
        report(worker);
      }
      root.say(worker.line());
    }
    return ExitCode.OK;
  }

  private void report(LocalWorker worker) {
    try {
      while (true) {
        Thread.sleep(REPORT.toMillis());
        root.say(worker.line());
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
