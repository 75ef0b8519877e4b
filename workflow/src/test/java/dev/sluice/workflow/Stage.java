package dev.sluice.workflow;

import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Worker;
import dev.sluice.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A namespace of a store, with what tests open on it; closed in reverse order. */
final class Stage implements AutoCloseable {
  private final String url;
  private final String schema = "w_" + UUID.randomUUID().toString().replace("-", "");
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  Stage(String url) {
    this.url = url;
  }

  <C extends AutoCloseable> C closing(C closeable) {
    opened.push(closeable);
    return closeable;
  }

  /** Another process. */
  Sluice open() {
    return closing(Sluice.open(SluiceOptions.url(url).schema(schema)));
  }

  /** A worker in a process of its own, which serves workflows. */
  Workflows serve(UnaryOperator<WorkerBuilder> handlers, WorkflowDefinition... definitions) {
    Sluice sluice = open();
    Workflows workflows = closing(Workflows.on(sluice).define(definitions));
    start(handlers.apply(workflows.serve(builder(sluice))));
    return workflows;
  }

  static WorkerBuilder builder(Sluice sluice) {
    return sluice
        .worker()
        .concurrency(16)
        .poll(Duration.ofMillis(100))
        .grace(Duration.ofSeconds(5));
  }

  Worker start(WorkerBuilder worker) {
    return closing(worker.start());
  }

  static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofMillis(50));
  }

  String url() {
    return url;
  }

  String schema() {
    return schema;
  }

  @Override
  public void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
