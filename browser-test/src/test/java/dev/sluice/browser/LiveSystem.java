package dev.sluice.browser;

import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.Worker;
import dev.sluice.throttle.Throttle;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A server and workers, each a process, on one store. Its tasks: {@code work} writes to the journal
 * and waits at its gate, at most two at once; {@code echo} gives back what it gets; {@code fail}
 * fails with markup for a message.
 */
final class LiveSystem implements AutoCloseable {
  /** What a careless page would execute. */
  static final String TRAP =
      "<img src=x onerror=\"window.trapped=1\"><script>window.trapped=1</script>";

  static final int WORK_LIMIT = 2;

  /** Those that are processes; one more is in this one, to tell of its throttle. */
  static final int WORKERS = 2;

  private static final Task<Integer> PING = Task.named("ping", Integer.class).build();

  private final String store;
  private final Path directory;
  private final List<Program> workers = new ArrayList<>();
  private final Journal journal;
  private final Sluice sluice;
  private final Throttle throttle = Throttle.of("http", 3);
  private final Worker local;
  private LiveServer server;

  private LiveSystem(String store, Path directory) {
    this.store = store;
    this.directory = directory;
    this.journal = new Journal(directory);
    this.sluice = Sluice.open(store);
    this.local =
        sluice
            .worker()
            .name("local")
            .queues("local")
            .notice("throttles", () -> List.of(figures(throttle)))
            .handle(PING, (payload, context) -> {})
            .start();
  }

  private static Map<String, Object> figures(Throttle throttle) {
    return Map.of(
        "name",
        throttle.name(),
        "limit",
        throttle.limit(),
        "in_flight",
        throttle.inFlight(),
        "queued",
        throttle.queueDepth());
  }

  /**
   * Starts everything, and waits until the server answers.
   *
   * @param serverOptions what the server is told besides
   */
  static LiveSystem start(String store, Path directory, String... serverOptions) {
    LiveSystem system = new LiveSystem(store, directory);
    try {
      for (int number = 1; number <= WORKERS; number++) {
        system.workers.add(system.startWorker(number));
      }
      system.server = LiveServer.start(store, directory, serverOptions);
      return system;
    } catch (RuntimeException | Error e) {
      system.close();
      throw e;
    }
  }

  private Program startWorker(int number) {
    return program(
        "worker-" + number,
        "worker",
        "--exec",
        "work=" + journal.waitingCommand(),
        "--exec",
        "echo=cat",
        "--exec",
        "fail=echo '" + TRAP + "' >&2; exit 3",
        "--max-concurrent",
        "work=" + WORK_LIMIT,
        "--attempts",
        "1",
        "--concurrency",
        "8",
        "--quiet");
  }

  /** The server, to stop it and start it again; the workers go on. */
  LiveServer server() {
    return server;
  }

  private Program program(String name, String... arguments) {
    List<String> all = new ArrayList<>(List.of("--store", store));
    all.addAll(List.of(arguments));
    return Program.start(directory, name, all);
  }

  /** Where the dashboard is. */
  URI address() {
    return server.address();
  }

  /** The same store, in this process. */
  Sluice sluice() {
    return sluice;
  }

  /** What the handlers of {@code work} write down. */
  Journal journal() {
    return journal;
  }

  @Override
  public void close() {
    journal.open();
    if (server != null) {
      server.close();
    }
    workers.forEach(Program::close);
    local.close();
    sluice.close();
  }
}
