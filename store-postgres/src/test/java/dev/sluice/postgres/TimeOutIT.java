package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.SluiceOptions;
import dev.sluice.StoreUnavailableException;
import dev.sluice.Task;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that gives a statement up because it took too long, or waited too long for a lock. */
class TimeOutIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  @ParameterizedTest
  @ValueSource(strings = {"statement_timeout", "lock_timeout"})
  void submit_tableIsLocked_isAStoreThatDoesNotAnswerInTime(String setting) throws Exception {
    Task<Integer> task = Task.named("t", Integer.class).build();
    String url = SERVER.url() + (SERVER.url().contains("?") ? "&" : "?");
    try (PostgresFixture fixture = new PostgresFixture(SERVER)) {
      fixture.open().close();
      try (Sluice sluice =
              Sluice.open(
                  SluiceOptions.url(url + "options=-c%20" + setting + "%3D500ms")
                      .schema(fixture.namespace()));
          Connection other = SERVER.openConnection();
          Statement lock = other.createStatement()) {
        other.setAutoCommit(false);
        lock.execute("LOCK TABLE " + fixture.namespace() + ".job");

        assertThatThrownBy(() -> sluice.submit(task, 1))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("did not answer in time")
            .hasMessageContaining("pg_stat_activity");
      }
    }
  }
}
