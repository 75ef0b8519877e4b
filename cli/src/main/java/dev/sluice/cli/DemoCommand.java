package dev.sluice.cli;

import dev.sluice.Group;
import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.cli.demo.Board;
import dev.sluice.cli.demo.DemoWorker;
import dev.sluice.cli.demo.Feeder;
import dev.sluice.cli.demo.Limits;
import dev.sluice.cli.demo.LocalWorker;
import dev.sluice.cli.demo.Peaks;
import dev.sluice.cli.demo.Summary;
import dev.sluice.cli.demo.Tally;
import dev.sluice.cli.demo.WorkerProcess;
import dev.sluice.cli.text.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The demo: limits held across two worker processes, to look at and with proof. */
@Command(
    name = "demo",
    description = {
      "Watch limits hold across two worker processes.",
      "",
      "The processes run jobs of five tasks: with limits of 1, 3 and 10, of 2 for each customer, and"
          + " with none. At the end the most that ever ran at once is shown for each group, counted from the"
          + " times at which the handlers themselves started and ended. Exit code 1: a limit was exceeded.",
      "",
      "It opens with the address of a dashboard that shows the same while it runs."
    },
    footer = {
      "Examples:",
      "  sluice demo",
      "  sluice demo --for 2m --store postgresql://localhost/app",
      "  sluice demo --store file:./data",
      "  sluice demo --workflow",
      "",
      "While it runs, try from another terminal, with the same --store:",
      "  sluice --schema sluice_demo concurrency status",
      "  sluice --schema sluice_demo concurrency set send_email --limit 2"
    })
final class DemoCommand implements Callable<Integer> {
  static final String SCHEMA = "sluice_demo";
  private static final int WORKERS = 2;
  private static final Duration TICK = Duration.ofMillis(100);

  private final SluiceCommand root;

  @Option(names = "--for", paramLabel = "D", description = "How long: 20s, 2m. Default: 30s")
  private Duration duration = Duration.ofSeconds(30);

  @Option(
      names = "--workflow",
      description = "Show a workflow instead: a list of parcels, at most four of them in flight.")
  private boolean workflow;

  @Option(names = "--no-dashboard", description = "Serve no dashboard beside it.")
  private boolean noDashboard;

  DemoCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (duration.isZero()) {
      throw new InvalidRequestException("--for is 0; the demo needs some time, such as 10s.");
    }
    if (workflow) {
      try (Sluice sluice = root.open(root.schemaOr(SCHEMA))) {
        return new WorkflowDemo(root, sluice).run();
      }
    }
    String schema = root.schemaOr(SCHEMA);
    StopSignal stop = StopSignal.install();
    root.remark(Printable.of("Opening the store " + root.storeName() + " ..."));
    Path directory = Files.createTempDirectory("sluice-demo");
    try (Sluice sluice = root.open(schema);
        DemoDashboard dashboard = noDashboard ? null : DemoDashboard.open(root, sluice)) {
      Feeder.clear(sluice);
      Optional<String> address = Optional.ofNullable(dashboard).map(DemoDashboard::url);
      address.ifPresent(url -> root.remark("Dashboard: " + url));
      Summary summary = run(sluice, schema, directory, stop, address);
      Feeder.clear(sluice);
      if (root.json()) {
        root.sayJson(summary.asMap());
      } else {
        summary.lines(root.console().style(), root.console().tableWidth()).forEach(root::say);
      }
      return summary.everyLimitHeld() ? ExitCode.OK : ExitCode.NEGATIVE;
    } finally {
      delete(directory);
    }
  }

  private Summary run(
      Sluice sluice, String schema, Path directory, StopSignal stop, Optional<String> dashboard)
      throws IOException, InterruptedException {
    // A queue of its own: jobs that another demo left behind are not served here.
    String queue = "demo-" + UUID.randomUUID();
    Limits limits = new Limits(sluice.concurrency());
    Feeder feeder = new Feeder(sluice, queue);
    Board board =
        new Board(
            root.console(),
            feeder,
            limits,
            dashboard.map(url -> "Dashboard: " + url + "  ").orElse(""));
    List<DemoWorker> workers = new ArrayList<>();
    Duration took;
    try {
      root.remark(
          root.isOfThisProcess()
              ? "Starting " + WORKERS + " workers, in this process: nobody else sees its memory..."
              : "Starting " + WORKERS + " worker processes...");
      for (int i = 0; i < WORKERS; i++) {
        Path events = directory.resolve("worker-" + i);
        workers.add(
            root.isOfThisProcess()
                ? LocalWorker.start(sluice, queue, events)
                : startProcess(schema, queue, events));
      }
      if (!workers.stream().allMatch(DemoWorker::awaitReady)) {
        throw new SluiceException("A worker of the demo did not start; what it printed is above.");
      }
      took = watch(workers, feeder, board, stop);
    } finally {
      // All at once, so that none goes on alone while another one drains.
      workers.parallelStream().forEach(DemoWorker::close);
      board.clear();
    }
    List<Peaks.Record> records = new ArrayList<>();
    for (DemoWorker worker : workers) {
      records.add(worker.record());
    }
    return new Summary(Peaks.of(records), limits, took, WORKERS);
  }

  private WorkerProcess startProcess(String schema, String queue, Path events) throws IOException {
    return WorkerProcess.start(
        Main.class.getName(),
        List.of(
            DemoWorkerCommand.NAME,
            "--schema",
            schema,
            "--queue",
            queue,
            "--events",
            events.toString()),
        root.storeUrl(),
        events);
  }

  private Duration watch(List<DemoWorker> workers, Feeder feeder, Board board, StopSignal stop)
      throws InterruptedException {
    long start = System.nanoTime();
    Duration elapsed = Duration.ZERO;
    boolean stopped = false;
    while (!stopped && elapsed.compareTo(duration) < 0) {
      Map<Group, Tally.Numbers> numbers = Board.together(workers);
      int alive = (int) workers.stream().filter(DemoWorker::isAlive).count();
      if (alive == 0) {
        throw new SluiceException("Every worker of the demo has ended before its time.");
      }
      board.show(numbers, new Board.Moment(elapsed, duration, alive));
      feeder.fill(numbers);
      Duration left = duration.minus(elapsed);
      stopped = stop.await(left.compareTo(TICK) < 0 ? left : TICK);
      elapsed = Duration.ofNanos(System.nanoTime() - start);
    }
    return elapsed;
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
