package dev.sluice.cli;

import dev.sluice.InvalidRequestException;
import dev.sluice.Sluice;
import dev.sluice.SluiceException;
import dev.sluice.Worker;
import dev.sluice.cli.config.Configuration;
import dev.sluice.cli.config.Setting;
import dev.sluice.cli.config.Settings;
import dev.sluice.cli.config.TokenFile;
import dev.sluice.metrics.SluiceMetrics;
import dev.sluice.schedule.Scheduler;
import dev.sluice.schedule.Schedules;
import dev.sluice.server.MetricsServer;
import dev.sluice.server.MetricsServerBuilder;
import dev.sluice.workflow.Workflows;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A worker whose handlers are shell commands. */
@Command(
    name = "worker",
    description = {
      "Run shell commands as handlers of tasks.",
      "",
      "A command is run by 'sh -c', with the payload on standard input and SLUICE_JOB_ID,"
          + " SLUICE_TASK, SLUICE_ATTEMPT and SLUICE_FENCING_TOKEN in its environment. Exit code 0"
          + " succeeds, and what was printed is the result (64 kB are kept); any other fails the"
          + " attempt, with the end of standard error as its message, and is tried again. The"
          + " command inherits this process's environment without the variables that hold secrets"
          + " of Sluice: a store URL with a password, and the server's tokens.",
      "",
      "On cancel, on timeout and at the end of --grace the command and everything it started get"
          + " SIGTERM, and what is left of them after 3 s gets SIGKILL. When the lease is lost, or the"
          + " worker itself is killed or frozen, a watchdog beside the command sends SIGKILL with no"
          + " SIGTERM before it, before anyone else can be given the job. Whatever a command leaves"
          + " running in the background is killed when it ends. All this holds for the command's"
          + " process group: a process that leaves it, as with setsid, is not found and runs on.",
      "",
      "A worker also moves workflows on whose steps it runs, see 'sluice workflow', and submits what"
          + " schedules say is due, see 'sluice schedule'. When it starts, it brings the limits and"
          + " schedules of configuration files into the store: see 'sluice config'."
    },
    footer = {
      "Examples:",
      "  sluice worker --exec greet='read -r who; echo hello $who'",
      "  sluice worker --exec resize=./resize.sh --max-concurrent resize=3",
      "  sluice worker --exec a=./a.sh --exec b=./b.sh --queue imports --concurrency 8",
      "  sluice worker --exec a=./a.sh --metrics 9090"
    })
final class WorkerCommand implements Callable<Integer> {
  private final SluiceCommand root;

  @Spec private CommandSpec spec;

  @Mixin private WorkerOptions options;

  @Option(
      names = "--metrics",
      paramLabel = "[ADDRESS:]PORT",
      description =
          "Serve /metrics of this worker, /healthz and /readyz there; port 0 takes a free one. The"
              + " store's own metrics come from 'sluice server'. Other"
              + " addresses than 127.0.0.1 demand the tokens of server.read_tokens or"
              + " server.operate_tokens. Default: worker.metrics_port, or nothing is served")
  private HostPort metricsAt;

  private volatile boolean started;

  WorkerCommand(SluiceCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (options.exec.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "Missing required option: '--exec=TASK=COMMAND'");
    }
    WorkerAssembly assembly = new WorkerAssembly(root, options);
    StopSignal stop = StopSignal.install();
    Optional<HostPort> metrics = metricsAt();
    if (metrics.isEmpty()) {
      try (Sluice sluice = root.open()) {
        run(assembly, sluice, stop);
      }
      return ExitCode.OK;
    }
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    // What it does itself, and no more: each process that watched the store would cost it dearly.
    SluiceMetrics counters = SluiceMetrics.on(registry);
    try (MetricsServer server = serve(metrics.get(), registry);
        Sluice sluice = root.open(counters)) {
      root.remark("Metrics: " + server.url() + "/metrics");
      run(assembly, sluice, stop);
    }
    return ExitCode.OK;
  }

  private MetricsServer serve(HostPort place, PrometheusMeterRegistry registry) {
    MetricsServerBuilder builder =
        MetricsServer.builder(registry)
            .address(place.address().orElseThrow())
            .port(place.port())
            .ready(() -> started);
    List<String> tokens = new ArrayList<>();
    tokens.addAll(tokens(Settings.SERVER_READ_TOKENS, Settings.SERVER_READ_TOKENS_FILE));
    tokens.addAll(tokens(Settings.SERVER_OPERATE_TOKENS, Settings.SERVER_OPERATE_TOKENS_FILE));
    tokens.forEach(builder::readToken);
    try {
      return builder.start();
    } catch (InvalidRequestException e) {
      throw tokens.isEmpty()
          ? new InvalidRequestException(
              e.getMessage() + " Tokens are those of server.read_tokens and server.operate_tokens.",
              e)
          : e;
    } catch (SluiceException e) {
      throw new AddressTakenException(e.getMessage(), e);
    }
  }

  private List<String> tokens(Setting<List<String>> direct, Setting<String> file) {
    return TokenFile.tokens(
        root.serverConfiguration(), direct, file, root.surroundings().directory(), root::warn);
  }

  private void run(WorkerAssembly assembly, Sluice sluice, StopSignal stop)
      throws InterruptedException {
    new FileDeclarations(root, sluice).apply();
    try (Workflows workflows = Workflows.on(sluice);
        Scheduler scheduler = assembly.schedules() ? Schedules.on(sluice).start() : null) {
      Worker worker = assembly.start(sluice, workflows);
      started = true;
      stop.await();
      assembly.drain(worker);
    }
  }

  private Optional<HostPort> metricsAt() {
    Configuration configuration = root.configuration();
    String address = configuration.get(Settings.WORKER_METRICS_ADDRESS);
    return metricsAt != null
        ? Optional.of(
            new HostPort(metricsAt.address().or(() -> Optional.of(address)), metricsAt.port()))
        : configuration
            .find(Settings.WORKER_METRICS_PORT)
            .map(found -> new HostPort(Optional.of(address), found.value()));
  }
}
