package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.Group;
import dev.sluice.Permit;
import dev.sluice.Sluice;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.spi.Exchange;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What a claim reads, counted in pages, not in time: jobs that wait for a full group cost other
 * jobs nothing.
 */
@Isolated("it counts what the server does")
class ClaimCostIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final int BACKLOG = 20_000;
  private static final Task<Integer> OTHER = Task.named("other", Integer.class).build();

  private PostgresFixture fixture;

  @BeforeEach
  void openFixture() {
    fixture = new PostgresFixture(SERVER);
  }

  @AfterEach
  void closeFixture() {
    fixture.close();
  }

  @Test
  void backlogOfAFullTask_addsNothingToTheClaimOfOtherJobs() throws Exception {
    Task<Integer> full = Task.named("full", Integer.class).maxConcurrent(1).build();
    assertThat(pagesRead(full, BACKLOG)).isLessThan(2 * pagesRead(full, 0));
  }

  @Test
  void backlogOfAFullKey_addsNothingToTheClaimOfOtherJobs_onceSeen() throws Exception {
    Task<Integer> full =
        Task.named("full", Integer.class).maxConcurrentPer("k", n -> "same", 1).build();
    assertThat(pagesRead(full, BACKLOG)).isLessThan(2 * pagesRead(full, 0));
  }

  @Test
  void backlogOfATaskOfOtherWorkers_isReadPastOnce() throws Exception {
    Task<Integer> foreign = Task.named("foreign", Integer.class).build();
    WorkerRegistration registration = workerOf(Set.of("other"), Map.of());
    long pages;
    try (Sluice sluice = fixture.open();
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(registration)) {
      sluice.submitAll(foreign, Collections.nCopies(BACKLOG, 1), o -> o.priority(9));
      sluice.submitAll(OTHER, Collections.nCopies(1_000, 1));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                claim(session, 1, "other");
                return jobsInLane("foreign") == BACKLOG;
              });
      analyze();
      pages = explainClaim(session.workerId(), Set.of("other"));
    }
    assertThat(pages).isLessThan(2 * pagesRead(null, 0));
  }

  /** In the open lane they would be in front of others, and moved when claims meet them. */
  @Test
  void crowdOfAFullTask_isStoredInALaneOfItsOwn() throws Exception {
    Task<Integer> full = Task.named("full", Integer.class).maxConcurrent(1).build();
    try (Sluice sluice = fixture.open();
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(workerOf(Set.of("full"), full.limits()))) {
      sluice.submitAll(full, Collections.nCopies(1_000, 1));
      assertThat(jobsInOpenLanes("full")).as("jobs while there is room").isEqualTo(1_000);
      try (Permit permit = sluice.concurrency().acquire(full.group(), Duration.ofSeconds(10))) {
        assertThat(permit.held()).isTrue();
        sluice.submitAll(full, Collections.nCopies(1_000, 1));
        assertThat(jobsInLane("full")).as("jobs in the lane").isGreaterThanOrEqualTo(1_000);
        await().untilAsserted(() -> assertThat(jobsInOpenLanes("full")).isZero());
      }
      assertThat(claim(session, 10, "full").jobs()).hasSize(1);
    }
  }

  @Test
  void claimsInARow_doNotReadPastWhatWasClaimedBefore_andSeeUrgentJobsSoon() throws Exception {
    WorkerRegistration registration = workerOf(Set.of("other"), Map.of());
    try (Sluice sluice = fixture.open();
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(registration)) {
      List<UUID> submitted =
          sluice.submitAll(OTHER, Collections.nCopies(BACKLOG, 1)).stream()
              .map(Submission::id)
              .toList();
      List<UUID> claimed = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        claim(session, 100, "other").jobs().forEach(job -> claimed.add(job.id()));
      }
      assertThat(claimed).as("in order, none left out").isEqualTo(submitted.subList(0, 2_000));

      UUID urgent = sluice.submit(OTHER, 1, o -> o.priority(9)).id();
      await()
          .atMost(Duration.ofSeconds(10))
          .until(
              () ->
                  claim(session, 100, "other").jobs().stream()
                      .anyMatch(job -> job.id().equals(urgent)));
      int left = claim(session, 1, "other").jobs().size();
      assertThat(left).as("it came before the end of the line").isEqualTo(1);
    }
  }

  @Test
  void keys_neitherABacklogNorManyClaimedJobsAddToAClaim() throws Exception {
    assertThat(pagesReadAmongKeys(2_000, BACKLOG)).isLessThan(2 * pagesReadAmongKeys(100, 1_000));
  }

  /**
   * The pages one claim of ten jobs reads, each with a key of its own, of so many that wait and
   * beside so many that are claimed. The plans are made while the tables are empty, as those of a
   * worker are that starts with them.
   */
  private long pagesReadAmongKeys(int claimed, int backlog) throws Exception {
    fixture.close();
    fixture = new PostgresFixture(SERVER);
    Task<Integer> keyed =
        Task.named("keyed", Integer.class).maxConcurrentPer("k", n -> n, 1).build();
    WorkerRegistration registration = workerOf(Set.of("keyed"), keyed.limits());
    try (Sluice sluice = fixture.open();
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(registration);
        Connection connection = fixture.openConnection()) {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SELECT %s.warm_up()".formatted(fixture.namespace()));
        connection.rollback();
      }
      sluice.submitAll(keyed, IntStream.range(0, claimed + backlog).boxed().toList());
      for (int jobs = 0; jobs < claimed; ) {
        jobs += claim(session, Math.min(50, claimed - jobs), "keyed").jobs().size();
      }
      analyze();
      return explainClaim(connection, session.workerId(), Set.of("keyed"));
    }
  }

  @Test
  void taskWhoseTurnItIs_isNotLookedForThroughABacklogOfOthers() throws Exception {
    Task<Integer> turn = Task.named("turn", Integer.class).maxConcurrent(1).build();
    Set<String> tasks = Set.of("other", "turn");
    WorkerRegistration registration = workerOf(tasks, turn.limits());
    try (Sluice sluice = fixture.open();
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(registration);
        Connection connection = fixture.openConnection()) {
      sluice.submitAll(OTHER, Collections.nCopies(BACKLOG, 1));
      sluice.submit(turn, 1);
      analyze();
      connection.setAutoCommit(false);
      assertThat(explainClaim(connection, session.workerId(), tasks, Set.of("turn")))
          .isLessThan(3 * explainClaim(connection, session.workerId(), tasks, Set.of()));
    }
  }

  @Test
  void jobsClaimedAhead_addNothingToTheSharesOfAHotGroup() throws Exception {
    assertThat(pagesReadForShares(2_000)).isLessThan(2 * pagesReadForShares(50));
  }

  /** The pages it takes to share a hot group out while so many of its jobs are claimed. */
  private long pagesReadForShares(int claimed) throws Exception {
    fixture.close();
    fixture = PostgresFixture.hot(SERVER);
    Task<Integer> hot = Task.named("hot", Integer.class).maxConcurrent(10).build();
    WorkerRegistration registration = workerOf(Set.of("hot"), hot.limits());
    try (Sluice sluice = fixture.open();
        JobStore store = fixture.openStore();
        WorkerSession session = store.openSession(registration);
        Connection connection = fixture.openConnection()) {
      sluice.submitAll(hot, Collections.nCopies(claimed, 1));
      for (int jobs = 0; jobs < claimed; ) {
        jobs += claim(session, 500, new Exchange.TaskDemand("hot", 500, 499)).jobs().size();
      }
      analyze();
      connection.setAutoCommit(false);
      return explain(
              connection,
              "SELECT %s.shares_of('%s', 'hot', 10)"
                  .formatted(fixture.namespace(), session.workerId()))
          .pages;
    }
  }

  private long jobsInLane(String lane) throws Exception {
    return count("lane = '%s'".formatted(lane));
  }

  private long jobsInOpenLanes(String task) throws Exception {
    return count("task = '%s' AND lane = ''".formatted(task));
  }

  private long count(String condition) throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM %s.job WHERE state = 1 AND %s"
                    .formatted(fixture.namespace(), condition))) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * The pages one claim of ten other jobs reads, while a task or key is full, if any, and so many
   * jobs of it with a higher priority wait in front of them.
   */
  private long pagesRead(Task<Integer> full, int backlog) throws Exception {
    fixture.close();
    fixture = new PostgresFixture(SERVER);
    try (Sluice sluice = fixture.open();
        JobStore store = fixture.openStore()) {
      Set<String> tasks = full == null ? Set.of("other") : Set.of("other", "full");
      WorkerRegistration registration = workerOf(tasks, full == null ? Map.of() : full.limits());
      try (WorkerSession session = store.openSession(registration)) {
        if (full != null) {
          sluice.submit(full, 0);
          assertThat(claim(session, 1, "full").jobs()).hasSize(1);
          sluice.submitAll(full, Collections.nCopies(backlog, 1), o -> o.priority(9));
        }
        sluice.submitAll(OTHER, Collections.nCopies(1_000, 1));
        // The first looks at a key that is full set its jobs aside, and have a full task given a
        // lane.
        for (int i = 0; i < 20; i++) {
          claim(session, 10, tasks.toArray(String[]::new));
        }
        // A claim that had some of them locked meanwhile is followed by others, which move them.
        await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () -> {
                  claim(session, 1, tasks.toArray(String[]::new));
                  return jobsInOpenLanes("full") == 0;
                });
        claim(session, 10, tasks.toArray(String[]::new));
        analyze();
        long pages = explainClaim(session.workerId(), tasks);
        assertThat(claim(session, 10, tasks.toArray(String[]::new)).jobs()).hasSize(10);
        return pages;
      }
    }
  }

  private static WorkerRegistration workerOf(Set<String> tasks, Map<Group, Integer> limits) {
    return new WorkerRegistration("cost", Set.of("default"), tasks, limits, Duration.ofMinutes(5));
  }

  private static Exchange.Answer claim(WorkerSession session, int jobs, String... tasks) {
    return claim(
        session,
        jobs,
        Stream.of(tasks)
            .map(task -> new Exchange.TaskDemand(task, jobs, 0))
            .toArray(Exchange.TaskDemand[]::new));
  }

  private static Exchange.Answer claim(
      WorkerSession session, int jobs, Exchange.TaskDemand... wanted) {
    Exchange.Answer answer =
        session.exchange(
            new Exchange(
                List.of(),
                Set.of(),
                Map.of(),
                List.of(),
                new Exchange.Demand(jobs, List.of(wanted), Map.of())));
    if (answer.stale()) {
      session.reconcile(Map.of());
      return claim(session, jobs, wanted);
    }
    return answer;
  }

  private void analyze() throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("VACUUM ANALYZE %s.job".formatted(fixture.namespace()));
    }
  }

  /** The pages that a claim of all tasks reads. */
  private long explainClaim(String workerId, Set<String> tasks) throws Exception {
    try (Connection connection = fixture.openConnection()) {
      connection.setAutoCommit(false);
      return explainClaim(connection, workerId, tasks);
    }
  }

  private long explainClaim(Connection connection, String workerId, Set<String> tasks)
      throws Exception {
    return explainClaim(connection, workerId, tasks, Set.of());
  }

  private long explainClaim(
      Connection connection, String workerId, Set<String> tasks, Set<String> turns)
      throws Exception {
    Explained claim =
        explain(
            connection,
            "SELECT FROM unnest((${schema}.claim('${worker}', ${demand})).jobs)"
                .replace("${schema}", fixture.namespace())
                .replace("${worker}", workerId)
                .replace("${demand}", demand(tasks, turns)));
    assertThat(claim.rows).as("jobs that are claimed").isEqualTo(10);
    return claim.pages;
  }

  private record Explained(int rows, long pages) {}

  /** Runs a query under EXPLAIN, some times so that catalogs are warm, and rolls it back. */
  private static Explained explain(Connection connection, String query) throws Exception {
    Explained explained = null;
    try (Statement statement = connection.createStatement()) {
      for (int i = 0; i < 3; i++) {
        try (ResultSet row =
            statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + query)) {
          row.next();
          JsonNode plan = new ObjectMapper().readTree(row.getString(1)).get(0).get("Plan");
          explained =
              new Explained(
                  plan.get("Actual Rows").asInt(),
                  plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong());
        }
        connection.rollback();
      }
    }
    return explained;
  }

  /**
   * The demand for ten jobs of any of these tasks, as a worker that has just reconciled makes it.
   */
  private String demand(Set<String> tasks, Set<String> turns) throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT quote_literal((
                  (SELECT m.rules_version FROM ${schema}.meta m), ARRAY['default'], 10,
                  (SELECT jsonb_object_agg(t, 10) FROM unnest(${tasks}) AS t), false, 0, '{}'::jsonb, ARRAY[]::text[],
                  ARRAY[]::integer[], ARRAY[]::${schema}.place_in_line[], false, false, 0, false, b.limited, b.lanes, b.hot, ${turns})::${schema}.demand)
                FROM ${schema}.works_by(${tasks}) AS b
                """
                    .replace("${schema}", fixture.namespace())
                    .replace("${tasks}", array(tasks))
                    .replace("${turns}", array(turns)))) {
      row.next();
      return row.getString(1) + "::" + fixture.namespace() + ".demand";
    }
  }

  private static String array(Set<String> names) {
    return names.stream()
        .map("'%s'"::formatted)
        .collect(Collectors.joining(", ", "ARRAY[", "]::text[]"));
  }
}
