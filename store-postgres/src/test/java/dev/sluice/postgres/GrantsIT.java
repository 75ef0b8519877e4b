package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Group;
import dev.sluice.JobState;
import dev.sluice.OnLimit;
import dev.sluice.Permit;
import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.Submission;
import dev.sluice.Task;
import dev.sluice.Worker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A role that has only what the guide grants, in a database where functions are not open to all.
 */
class GrantsIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Path GUIDE = Path.of("..", "docs", "guide.md");
  private static final Pattern GRANTS =
      Pattern.compile("```sql\n(GRANT USAGE ON SCHEMA sluice TO app;.*?)```", Pattern.DOTALL);

  private final String role = "app_" + UUID.randomUUID().toString().replace("-", "");
  private PostgresFixture fixture;

  @BeforeEach
  void create() throws Exception {
    fixture = new PostgresFixture(SERVER);
    fixture.open().close();
    execute("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA " + fixture.namespace() + " FROM PUBLIC");
    execute("CREATE ROLE " + role + " LOGIN PASSWORD 'geheim'");
    Matcher guide = GRANTS.matcher(Files.readString(GUIDE));
    assertThat(guide.find()).isTrue();
    execute(
        guide
            .group(1)
            .replace("SCHEMA sluice", "SCHEMA " + fixture.namespace())
            .replace("TO app", "TO " + role));
  }

  @AfterEach
  void drop() throws Exception {
    fixture.close();
    execute("DROP ROLE " + role);
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = SERVER.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void grantsOfTheGuide_areEnoughToSubmitRunLimitAndRecover() throws Exception {
    String url = SERVER.url().replaceFirst("//([^/@]*@)?", "//" + role + ":geheim@");
    Task<Integer> task = Task.named("t", Integer.class).maxConcurrent(2).build();
    Group permits = Group.of("permits");
    try (Sluice sluice = Sluice.open(SluiceOptions.url(url).schema(fixture.namespace()));
        Worker worker =
            sluice
                .worker()
                .lease(Duration.ofSeconds(2))
                .handle(task, (payload, context) -> {})
                .start()) {
      for (int i = 0; i < 5; i++) {
        sluice.submit(task, i);
      }
      Submission rejected =
          sluice.submit(
              task, 9, o -> o.concurrencyGroup("full").concurrencyLimit(0).onLimit(OnLimit.REJECT));
      assertThat(rejected).isInstanceOf(Submission.Rejected.class);
      sluice.concurrency().setLimit(permits, 1);
      try (Permit permit = sluice.concurrency().acquire(permits, Duration.ofSeconds(5))) {
        assertThat(permit.held()).isTrue();
      }
      sluice.queues().pause("other");
      sluice.queues().resume("other");
      assertThat(sluice.concurrency().audit(true).isClean()).isTrue();
      sluice.workers().recover();
      sluice.jobs().purge(Duration.ofDays(1));
      await().until(() -> sluice.jobs().counts().get(JobState.SUCCEEDED) == 5);
    }
  }
}
