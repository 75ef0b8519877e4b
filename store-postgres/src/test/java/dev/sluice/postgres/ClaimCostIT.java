package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
    assertThat(pagesRead(full, BACKLOG)).isLessThan(2 * pagesRead(null, 0));
  }

  @Test
  void backlogOfATaskOfOtherWorkers_isReadPastOnce() throws Exception {
    Task<Integer> foreign = Task.named("foreign", Integer.class).build();
    WorkerRegistration registration =
        new WorkerRegistration(
            "cost", Set.of("default"), Set.of("other"), Map.of(), Duration.ofMinutes(5));
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

  @Test
  void claimsInARow_doNotReadPastWhatWasClaimedBefore_andSeeUrgentJobsSoon() throws Exception {
    WorkerRegistration registration =
        new WorkerRegistration(
            "cost", Set.of("default"), Set.of("other"), Map.of(), Duration.ofMinutes(5));
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

  private long jobsInLane(String lane) throws Exception {
    return count("lane = '%s'".formatted(lane));
  }

  private long jobsInOpenLanes(String task) throws Exception {
    return count("task = '%s' AND lane IN ('', '*')".formatted(task));
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
      WorkerRegistration registration =
          new WorkerRegistration(
              "cost",
              Set.of("default"),
              tasks,
              full == null ? Map.of() : full.limits(),
              Duration.ofMinutes(5));
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

  private static Exchange.Answer claim(WorkerSession session, int jobs, String... tasks) {
    List<Exchange.TaskDemand> wanted =
        Stream.of(tasks).map(task -> new Exchange.TaskDemand(task, jobs, 0)).toList();
    Exchange.Answer answer =
        session.exchange(
            new Exchange(
                List.of(),
                Set.of(),
                Map.of(),
                List.of(),
                new Exchange.Demand(jobs, wanted, Map.of())));
    if (answer.stale()) {
      session.reconcile(Map.of());
      return claim(session, jobs, tasks);
    }
    return answer;
  }

  private void analyze() throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("VACUUM ANALYZE %s.job".formatted(fixture.namespace()));
    }
  }

  /**
   * Runs a claim of all tasks under EXPLAIN, twice so that catalogs are warm, and rolls it back.
   */
  private long explainClaim(String workerId, Set<String> tasks) throws Exception {
    String call =
        """
        EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
        SELECT FROM unnest((${schema}.claim('${worker}', ${demand})).jobs)
        """
            .replace("${schema}", fixture.namespace())
            .replace("${worker}", workerId)
            .replace("${demand}", demand(tasks));
    long pages = 0;
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        try (ResultSet row = statement.executeQuery(call)) {
          row.next();
          JsonNode plan = new ObjectMapper().readTree(row.getString(1)).get(0).get("Plan");
          assertThat(plan.get("Actual Rows").asInt()).as("jobs that are claimed").isEqualTo(10);
          pages = plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong();
        }
        connection.rollback();
      }
    }
    return pages;
  }

  /**
   * The demand for ten jobs of any of these tasks, as a worker that has just reconciled makes it.
   */
  private String demand(Set<String> tasks) throws Exception {
    String names =
        tasks.stream().map("'%s'"::formatted).collect(Collectors.joining(", ", "ARRAY[", "]"));
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT quote_literal((
                  (SELECT m.rules_version FROM ${schema}.meta m), ARRAY['default'], 10,
                  (SELECT jsonb_object_agg(t, 10) FROM unnest(${tasks}) AS t), false, 0, '{}'::jsonb, ARRAY[]::text[],
                  ARRAY[]::integer[], ARRAY[]::${schema}.place_in_line[], false, 0, b.limited, b.lanes, b.hot)::${schema}.demand)
                FROM ${schema}.works_by(${tasks}) AS b
                """
                    .replace("${schema}", fixture.namespace())
                    .replace("${tasks}", names))) {
      row.next();
      return row.getString(1) + "::" + fixture.namespace() + ".demand";
    }
  }
}
