package dev.sluice.postgres;

import dev.sluice.tck.StoreFixture;
import dev.sluice.tck.chaos.ChaosContract;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Real processes, killed and frozen, on PostgreSQL. */
class PostgresChaosIT extends ChaosContract {
  @RegisterExtension static final TestServer SERVER = TestServer.CURRENT;

  @Override
  protected StoreFixture openFixture() {
    return new PostgresFixture(SERVER);
  }
}
