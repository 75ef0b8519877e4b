package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.SluiceOptions;
import dev.sluice.Worker;
import dev.sluice.cli.config.Configuration;
import dev.sluice.cli.config.Setting;
import dev.sluice.cli.config.Settings;
import dev.sluice.cli.config.TokenFile;
import dev.sluice.metrics.SluiceMetrics;
import dev.sluice.metrics.StoreGauges;
import dev.sluice.schedule.Scheduler;
import dev.sluice.schedule.Schedules;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.SluiceServerBuilder;
import dev.sluice.workflow.WorkflowMetrics;
import dev.sluice.workflow.Workflows;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The HTTP API, the dashboard and metrics; with a worker in the same process if wanted. */
@Command(
    name = "server",
    description = {
      "Serve the dashboard, the HTTP API and /metrics.",
      "",
      "It listens where only this machine reaches it. On any other address it demands tokens: those of"
          + " --read-token may look, those of --operate-token may also change things. Give them in a file"
          + " or in SLUICE_SERVER_OPERATE_TOKENS rather than as options, which everybody on the machine can"
          + " read: see 'sluice config'.",
      "",
      "With --worker it runs jobs as well, as 'sluice worker' does. It also submits what schedules say"
          + " is due, and brings the limits and schedules of configuration files into the store when it"
          + " starts. SIGTERM lets running jobs finish."
    },
    footer = {
      "Examples:",
      "  sluice server",
      "  sluice server --worker --exec resize=./resize.sh",
      "  SLUICE_SERVER_OPERATE_TOKENS=ada=... sluice server --address 0.0.0.0 --port 8484"
    })
final class ServerCommand implements Callable<Integer> {
  private final SluiceCommand root;

  @Option(
      names = "--address",
      paramLabel = "A",
      description = "The address to listen on. Default: server.address, or 127.0.0.1")
  private String address;

  @Option(
      names = "--port",
      paramLabel = "P",
      description = "The port to listen on; 0 takes a free one. Default: server.port, or 8484")
  private Integer port;

  @Option(
      names = "--read-token",
      paramLabel = "TOKEN",
      description = "Who may look: SECRET or NAME=SECRET; repeat for more.")
  private List<String> readTokens = new ArrayList<>();

  @Option(
      names = "--operate-token",
      paramLabel = "TOKEN",
      description = "Who may also change things; the name stands in the log of changes.")
  private List<String> operateTokens = new ArrayList<>();

  @Option(names = "--worker", description = "Run jobs as well; needs --exec.")
  private boolean worker;

  @Mixin private WorkerOptions options;

  ServerCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (worker == options.exec.isEmpty()) {
      throw new InvalidRequestException(
          worker
              ? "--worker needs something to run; add --exec TASK=COMMAND."
              : "--exec is for a worker; add --worker.");
    }
    WorkerAssembly assembly = new WorkerAssembly(root, options);
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    SluiceMetrics metrics = SluiceMetrics.on(registry);
    SluiceOptions store = root.options(root.schema()).listener(metrics);
    StopSignal stop = StopSignal.install();
    try (Sluice sluice = root.open(store);
        Workflows workflows = Workflows.on(sluice)) {
      new FileDeclarations(root, sluice).apply();
      SluiceServerBuilder builder = builder(sluice, store).workflows(workflows).registry(registry);
      try (StoreGauges gauges =
              metrics.watch(
                  sluice,
                  SluiceMetrics.DEFAULT_SAMPLING,
                  Settings.alertThresholds(root.serverConfiguration()));
          WorkflowMetrics figures = WorkflowMetrics.bind(workflows, registry);
          SluiceServer server = start(builder);
          Scheduler scheduler = assembly.schedules() ? Schedules.on(sluice).start() : null) {
        announce(server);
        run(assembly, sluice, workflows, stop);
      }
      return ExitCode.OK;
    }
  }

  private void run(WorkerAssembly assembly, Sluice sluice, Workflows workflows, StopSignal stop)
      throws InterruptedException {
    if (!worker) {
      stop.await();
      return;
    }
    Worker running = assembly.start(sluice, workflows);
    stop.await();
    assembly.drain(running);
  }

  private SluiceServerBuilder builder(Sluice sluice, SluiceOptions store) {
    Configuration configuration = root.serverConfiguration();
    SluiceServerBuilder builder =
        SluiceServer.builder(sluice)
            .address(configuration.get(Settings.SERVER_ADDRESS, address))
            .port(configuration.get(Settings.SERVER_PORT, port))
            .secureCookies(configuration.get(Settings.SERVER_SECURE_COOKIES))
            .storeUrl(root.storeUrl())
            .alertThresholds(Settings.alertThresholds(configuration))
            .diagnosis(() -> Sluice.diagnose(store));
    configuration.find(Settings.SERVER_HOSTS).ifPresent(f -> f.value().forEach(builder::allowHost));
    if (!readTokens.isEmpty() || !operateTokens.isEmpty()) {
      root.warn(
          "Everybody on this machine can read tokens that are given as options. Use SLUICE_SERVER_READ_TOKENS, SLUICE_SERVER_OPERATE_TOKENS or a file.");
    }
    tokens(readTokens, Settings.SERVER_READ_TOKENS, Settings.SERVER_READ_TOKENS_FILE)
        .forEach(builder::readToken);
    tokens(operateTokens, Settings.SERVER_OPERATE_TOKENS, Settings.SERVER_OPERATE_TOKENS_FILE)
        .forEach(builder::operateToken);
    return builder;
  }

  private List<String> tokens(
      List<String> flags, Setting<List<String>> direct, Setting<String> file) {
    return flags.isEmpty()
        ? TokenFile.tokens(
            root.serverConfiguration(), direct, file, root.surroundings().directory(), root::warn)
        : flags;
  }

  private SluiceServer start(SluiceServerBuilder builder) {
    try {
      return builder.start();
    } catch (InvalidRequestException e) {
      throw e;
    } catch (SluiceException e) {
      throw new AddressTakenException(e.getMessage(), e);
    }
  }

  private void announce(SluiceServer server) {
    if (root.json()) {
      root.sayJson(Map.of("url", server.url()));
    }
    root.remark("Dashboard and API: " + server.url() + "/ . Ctrl-C stops it.");
  }
}
