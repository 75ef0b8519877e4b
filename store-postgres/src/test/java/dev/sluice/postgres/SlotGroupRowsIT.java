package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Group;
import dev.sluice.LimitLevel;
import dev.sluice.Sluice;
import dev.sluice.Task;
import dev.sluice.spi.JobStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How the places of a hot group are spread over rows: at most 50, and exactly the limit in all. */
class SlotGroupRowsIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final String GROUP = "plain";

  private PostgresFixture fixture;
  private JobStore store;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture(SERVER);
    store = fixture.openStore();
    limit(3);
    fixture.heat(GROUP);
  }

  @AfterEach
  void close() {
    store.close();
    fixture.close();
  }

  private void limit(int limit) {
    store.limits().setLimit(Group.of(GROUP), LimitLevel.OPERATOR, OptionalInt.of(limit), "test");
  }

  /** How many rows there are of which capacity, once the limit is this. */
  private Map<Integer, Integer> rowsAt(int limit) throws Exception {
    limit(limit);
    Map<Integer, Integer> rows = new TreeMap<>();
    try (Connection connection = fixture.openConnection();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT capacity, count(*) FROM %s.slot_group WHERE group_name = ? GROUP BY capacity"
                    .formatted(fixture.namespace()))) {
      query.setString(1, GROUP);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          rows.put(row.getInt(1), row.getInt(2));
        }
      }
    }
    return rows;
  }

  @Test
  void limits_areSpreadOverAtMostFiftyRows() throws Exception {
    assertThat(rowsAt(4)).isEqualTo(Map.of(1, 4));
    assertThat(rowsAt(100)).isEqualTo(Map.of(2, 50));
    assertThat(rowsAt(500)).isEqualTo(Map.of(10, 50));
    assertThat(rowsAt(1_000)).isEqualTo(Map.of(20, 50));
    assertThat(rowsAt(51)).isEqualTo(Map.of(1, 49, 2, 1));
    assertThat(rowsAt(255)).isEqualTo(Map.of(5, 45, 6, 5));
  }

  /** Its claims would get into each other's way at once. */
  @Test
  void firstLimitOfATaskWithABacklog_makesItsGroupHot() {
    submit("crowded", 65);
    submit("calm", 64);
    for (String task : List.of("crowded", "calm")) {
      store.limits().setLimit(Group.of(task), LimitLevel.OPERATOR, OptionalInt.of(3), "test");
    }

    assertThat(rowsOf("crowded")).isEqualTo(3);
    assertThat(rowsOf("calm")).isZero();
  }

  /** What heats it counts the slots on record, and a permit is just going. */
  @Test
  void permitGivenBackWhileItsGroupBecomesHot_doesNotCount() throws Exception {
    store.limits().setLimit(Group.of("cold"), LimitLevel.OPERATOR, OptionalInt.of(3), "test");
    CompletableFuture<Void> heated;
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = " + fixture.namespace());
      statement.execute("SELECT acquire_permit('cold', NULL, 'holder', 'process', 60000)");
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT free_slot('cold', slot, token) FROM slot WHERE group_name = 'cold'");
      heated = CompletableFuture.runAsync(() -> fixture.heat("cold"));
      CompletableFuture<Void> counting = heated;
      Awaitility.await()
          .until(
              () ->
                  counting.isDone()
                      || fixture.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0);
      connection.commit();
    }
    heated.get(10, TimeUnit.SECONDS);

    assertThat(rowsOf("cold")).isEqualTo(3);
    assertThat(
            fixture.number("SELECT sum(used) FROM ${schema}.slot_group WHERE group_name = 'cold'"))
        .isZero();
  }

  private void submit(String task, int jobs) {
    try (Sluice sluice = Sluice.open(fixture.options())) {
      sluice.submitAll(
          Task.named(task, Integer.class).build(), IntStream.range(0, jobs).boxed().toList());
    }
  }

  private long rowsOf(String group) {
    return fixture.number(
        "SELECT count(*) FROM ${schema}.slot_group WHERE group_name = '%s'".formatted(group));
  }

  @Test
  void limits_lowered_leaveNoRowBehind() throws Exception {
    assertThat(rowsAt(1_000)).isEqualTo(Map.of(20, 50));
    assertThat(rowsAt(4)).isEqualTo(Map.of(1, 4));
    assertThat(rowsAt(0)).isEqualTo(Map.of(0, 1));
    assertThat(rowsAt(50)).isEqualTo(Map.of(1, 50));
  }
}
