package dev.sluice.example.media;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.Jobs;
import dev.sluice.Sluice;
import dev.sluice.Worker;
import dev.sluice.throttle.CpuBudget;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Retry;
import dev.sluice.throttle.Throttles;
import dev.sluice.throttle.s3.TransferSettings;
import dev.sluice.workflow.WorkflowRun;
import dev.sluice.workflow.Workflows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Everything a process needs to run the pipeline, put together and started. */
final class Studio implements AutoCloseable {
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration LOOK = Duration.ofMillis(100);

  private final Throttles throttles;
  private final Timeline timeline;
  private final MediaTools tools;
  private final Bucket bucket;
  private final Catalogue catalogue;
  private final Sluice sluice;
  private final Workflows workflows;
  private final List<Worker> workers;

  /**
   * What is around it.
   *
   * @param store the URL of Sluice's store
   * @param database where the catalogue is
   * @param client the way to the bucket, such as {@code S3Transfer::clientBuilder}
   * @param bucket its name
   * @param workspace where files are between steps
   */
  record Surroundings(
      String store,
      DataSource database,
      Supplier<S3ClientBuilder> client,
      String bucket,
      Workspace workspace) {}

  /**
   * Makes what is not there yet, and starts the workers.
   *
   * @param environment the variables that throttles and retries go by
   * @param listener hears of everything that ran
   */
  Studio(Surroundings around, Environment environment, Consumer<Timeline.Span> listener)
      throws SQLException {
    throttles = throttles(environment);
    timeline = new Timeline(listener);
    tools = new MediaTools(throttles, environment, timeline);
    bucket = Bucket.open(around, throttles, environment, timeline);
    bucket.create();
    catalogue = new Catalogue(around.database, throttles, environment, timeline);
    catalogue.create();
    sluice = Sluice.open(around.store);
    workflows = Workflows.on(sluice).define(MediaPipeline.DEFINITION);
    MediaSteps steps = new MediaSteps(tools, around.workspace, bucket, catalogue);
    workers =
        MediaPipeline.workers(sluice, workflows, steps, throttles).stream()
            .map(worker -> worker.grace(GRACE).start())
            .toList();
    timeline.begin();
  }

  /**
   * Whether these variables can be used.
   *
   * @throws dev.sluice.throttle.InvalidSettingException if not
   */
  static void check(Environment environment) {
    Throttles throttles = throttles(environment);
    new MediaTools(throttles, environment, new Timeline(span -> {}));
    TransferSettings.from(environment, throttles.cpu());
    Retry.from(environment);
  }

  /** The throttles of a process with these variables. */
  static Throttles throttles(Environment environment) {
    CpuBudget.Sources system = CpuBudget.Sources.system();
    return Throttles.from(
        environment,
        CpuBudget.detect(
            new CpuBudget.Sources(system.root(), environment, system.jvmProcessors())));
  }

  /** Starts a run. */
  UUID start(Video video) {
    return workflows.start(MediaPipeline.TYPE, video);
  }

  /** Calls a run off. */
  void cancel(UUID run) {
    workflows.cancel(run);
  }

  /** Waits for a run to end: what became of it. */
  WorkflowRun await(UUID run) throws InterruptedException {
    WorkflowRun now = workflows.get(run).orElseThrow();
    while (!now.state().finished()) {
      Thread.sleep(LOOK.toMillis());
      now = workflows.get(run).orElseThrow();
    }
    return now;
  }

  /** Whether a run has ended. */
  boolean hasEnded(UUID run) {
    return workflows.get(run).orElseThrow().state().finished();
  }

  /** The jobs on record. */
  Jobs jobs() {
    return sluice.jobs();
  }

  /** The result of a step of a run. */
  JsonNode result(UUID run, String step) {
    return workflows.result(run, step);
  }

  Throttles throttles() {
    return throttles;
  }

  Timeline timeline() {
    return timeline;
  }

  MediaTools tools() {
    return tools;
  }

  Catalogue catalogue() {
    return catalogue;
  }

  /** Interrupts what still runs after a moment, and closes everything but its surroundings. */
  @Override
  public void close() {
    workers.forEach(Worker::close);
    workflows.close();
    sluice.close();
    bucket.close();
  }
}
