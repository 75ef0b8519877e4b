package dev.sluice.bench.explain;

import dev.sluice.bench.server.Endpoint;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Finds out what a server's threads read to answer a request. The server has to work on {@link
 * #dataSource}.
 */
public final class RequestExplainer {
  /** A statement that takes less explains nothing. */
  private static final double WORTH_TELLING_MILLIS = 0.5;

  private static final int MOST_STATEMENTS = 4;

  private final PlanRecorder recorder;
  private final Predicate<Thread> whose;

  /**
   * @param endpoint the database
   * @param whose which threads answer requests
   */
  public RequestExplainer(Endpoint endpoint, Predicate<Thread> whose) {
    this.recorder = new PlanRecorder(endpoint);
    this.whose = whose;
  }

  /** Where the server gets its connections. */
  public DataSource dataSource() {
    return recorder.dataSource();
  }

  /**
   * What the slowest statements of a request read, each with its plan.
   *
   * @param request has the request answered
   */
  public String explain(Callable<?> request) throws Exception {
    Map<String, List<StatementPlan>> byStatement =
        recorder.record(whose, request).stream()
            .filter(StatementPlan::touchesTables)
            .collect(Collectors.groupingBy(plan -> plan.place() + plan.query()));
    List<List<StatementPlan>> slowest =
        byStatement.values().stream()
            .filter(plans -> millis(plans) >= WORTH_TELLING_MILLIS)
            .sorted(Comparator.comparingDouble(RequestExplainer::millis).reversed())
            .limit(MOST_STATEMENTS)
            .toList();
    return slowest.isEmpty()
        ? "No statement of it takes longer than %s ms.%n".formatted(WORTH_TELLING_MILLIS)
        : slowest.stream().map(RequestExplainer::text).collect(Collectors.joining());
  }

  private static double millis(List<StatementPlan> plans) {
    return plans.stream().mapToDouble(StatementPlan::millis).sum();
  }

  /** What all executions of a statement took and read, and the plan of the slowest of them. */
  private static String text(List<StatementPlan> plans) {
    StatementPlan slowest =
        plans.stream().max(Comparator.comparingDouble(StatementPlan::millis)).orElseThrow();
    return String.format(
            Locale.ROOT,
            "%s%s: %.1f ms, %,d rows read, %,d pages touched%n%n",
            slowest.place(),
            plans.size() == 1 ? "" : ", %,d times, in all".formatted(plans.size()),
            millis(plans),
            plans.stream().mapToLong(StatementPlan::rowsRead).sum(),
            plans.stream().mapToLong(plan -> plan.root().pages()).sum())
        + slowest.query().strip().indent(2)
        + "\n"
        + PlanText.of(slowest).indent(4)
        + "\n";
  }
}
