package dev.sluice.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Group;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.spi.JobStore;
import dev.sluice.spi.StoreProviders;
import dev.sluice.spi.StoreSettings;
import dev.sluice.spi.WorkerRegistration;
import dev.sluice.spi.WorkerSession;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Leases on a server whose clock is set back by an hour. To the rows that is the same as if all of
 * them had been written an hour from now.
 */
class ClockSetBackIT {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration PROMISE = Duration.ofMinutes(10);

  private PostgresFixture fixture;
  private JobStore store;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture(SERVER);
    store = fixture.openStore();
  }

  @AfterEach
  void close() {
    store.close();
    fixture.close();
  }

  private static WorkerSession signOn(JobStore store) {
    return store.openSession(
        new WorkerRegistration("w", Set.of("default"), Set.of("t"), Map.of(), LEASE));
  }

  private void setClockBack() throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement()) {
      for (String table : new String[] {"worker", "slot"}) {
        statement.execute(
            "UPDATE %s.%s SET expires_at = expires_at + interval '1 hour'"
                .formatted(fixture.namespace(), table));
      }
    }
  }

  /** How long the longest lease in this table lasts yet. */
  private Duration left(String table) throws Exception {
    try (Connection connection = fixture.openConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT extract(epoch FROM max(expires_at) - clock_timestamp()) FROM %s.%s"
                    .formatted(fixture.namespace(), table))) {
      row.next();
      return Duration.ofMillis((long) (row.getDouble(1) * 1_000));
    }
  }

  @Test
  void renewal_endsTheLeaseWhenItWasAskedTo() throws Exception {
    WorkerSession session = signOn(store);
    setClockBack();
    assertThat(left("worker")).isGreaterThan(Duration.ofMinutes(59));

    session.renew(LEASE);

    assertThat(left("worker")).isLessThanOrEqualTo(LEASE);
    session.close();
  }

  @Test
  void longerPromise_isKeptByShorterRenewals() throws Exception {
    WorkerSession session = signOn(store);
    session.renew(PROMISE);
    setClockBack();

    session.renew(LEASE);

    assertThat(left("worker")).isBetween(PROMISE.minusMinutes(1), PROMISE.plusMillis(1));
    session.close();
  }

  @Test
  void renewalCarriedOutAfterALongerOne_shortensNothing() throws Exception {
    try (HoldingProxy proxy = new HoldingProxy(fixture.url());
        JobStore proxied =
            StoreProviders.open(proxy.url(), new StoreSettings(fixture.namespace(), 4))) {
      WorkerSession session = signOn(proxied);
      HoldingProxy.Hold late = proxy.hold("renew_worker(");
      assertThatThrownBy(() -> session.renew(LEASE)).isInstanceOf(StoreUnavailableException.class);
      session.renew(PROMISE);

      late.deliver();

      assertThat(left("worker")).isGreaterThan(PROMISE.minusMinutes(1));
      session.close();
    }
  }

  @Test
  void deadWorkersAndPermits_areGivenUpOneLeaseLater() throws Exception {
    signOn(store);
    try (Sluice sluice = fixture.open()) {
      sluice
          .concurrency()
          .tryAcquire(Group.of("g"), OptionalInt.of(1), "holder", "process", LEASE)
          .orElseThrow();
      setClockBack();

      store.recover();

      assertThat(left("worker")).isLessThanOrEqualTo(LEASE);
      assertThat(left("slot")).isLessThanOrEqualTo(LEASE);
    }
  }
}
