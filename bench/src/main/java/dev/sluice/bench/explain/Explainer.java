package dev.sluice.bench.explain;

import dev.sluice.bench.server.BenchDatabase;
import dev.sluice.bench.server.BenchServer;
import dev.sluice.bench.server.Endpoint;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Finds out what a claim and a completion read behind many waiting jobs. Each set-up gets a
 * database of its own. The store's own statements are executed through the store's own seam, as a
 * worker does it; {@link PlanRecorder} listens.
 */
public final class Explainer {
  private static final StoreSettings STORE = new StoreSettings("sluice", 4);

  /** Enough for every plan of the connection to become the one it stays with. */
  private static final int WARM_UP = 8;

  private final BenchServer server;
  private final int jobs;
  private final int batch;

  public Explainer(BenchServer server, int jobs, int batch) {
    this.server = server;
    this.jobs = jobs;
    this.batch = batch;
  }

  /** Explains one set-up; {@code progress} hears how many jobs are submitted. */
  public Explanation explain(SetUp setUp, LongConsumer progress) {
    try (BenchDatabase database = server.createDatabase("sluice_explain")) {
      PlanRecorder recorder = new PlanRecorder(database.endpoint());
      try (JobStore store = StoreProviders.onDataSource().open(recorder.dataSource(), STORE);
          ExplainedWorker worker = new ExplainedWorker(recorder, store, setUp, batch)) {
        if (setUp.isHot()) {
          heat(database.endpoint(), setUp);
          worker.reconcile();
        }
        load(database.endpoint(), progress);
        warmUp(worker);
        return explain(setUp, worker, database.endpoint());
      }
    }
  }

  private static void heat(Endpoint endpoint, SetUp setUp) {
    String groups =
        setUp.limits().keySet().stream()
            .map(group -> "'" + group + "'")
            .collect(Collectors.joining(", "));
    Sql.execute(endpoint, "SELECT %s.heat(ARRAY[%s])".formatted(STORE.namespace(), groups));
  }

  private void load(Endpoint endpoint, LongConsumer progress) {
    try (JobStore store = StoreProviders.open(endpoint.url(), STORE)) {
      Backlog.submit(store, jobs + 2 * (WARM_UP + 1) * batch, progress);
    }
    Sql.execute(endpoint, "VACUUM ANALYZE");
  }

  private static void warmUp(ExplainedWorker worker) {
    for (int i = 0; i < WARM_UP; i++) {
      worker.turn();
    }
  }

  private Explanation explain(SetUp setUp, ExplainedWorker worker, Endpoint endpoint) {
    List<Step> steps = worker.turn();
    List<String> complaints = new ArrayList<>();
    List<String> remarks = new ArrayList<>();
    PlanCheck check = new PlanCheck(batch, setUp.isLimited());
    for (Step step : steps) {
      if (step.jobs() != batch) {
        complaints.add("%s: %,d jobs instead of %,d".formatted(step.name(), step.jobs(), batch));
      }
      check.complaints(step.plans()).forEach(c -> complaints.add(step.name() + ": " + c));
    }
    if (!setUp.isLimited()) {
      List<Step> without = turnWithoutLimitTables(worker, endpoint);
      for (int i = 0; i < steps.size(); i++) {
        Step step = steps.get(i);
        step.differenceTo(without.get(i))
            .ifPresentOrElse(
                difference -> complaints.add(otherPlans(step, difference)),
                () -> remarks.add(samePlans(step)));
      }
    }
    return new Explanation(setUp, jobs, steps, complaints, remarks);
  }

  private static List<Step> turnWithoutLimitTables(ExplainedWorker worker, Endpoint endpoint) {
    try (LimitTables tables = LimitTables.remove(endpoint, STORE.namespace())) {
      warmUp(worker);
      return worker.turn();
    }
  }

  private static String samePlans(Step step) {
    return "No limits registered: the %s executes the same %d plans as in a schema without the tables %s."
        .formatted(step.name(), step.plans().size(), tableNames());
  }

  private static String otherPlans(Step step, String difference) {
    return "%s: other plans than in a schema without the tables %s: %s"
        .formatted(step.name(), tableNames(), difference);
  }

  private static String tableNames() {
    return String.join(", ", PlanCheck.OF_LIMITS.stream().sorted().toList());
  }
}
