package dev.sluice.postgres;

import dev.sluice.tck.StoreFixture;
import dev.sluice.tck.chaos.ChaosContract;
import org.junit.jupiter.api.extension.ExtendWith;

/** Real processes, killed and frozen, on PostgreSQL. */
@ExtendWith(TestServer.class)
class PostgresChaosIT extends ChaosContract {
  @Override
  protected StoreFixture openFixture() {
    return new PostgresFixture();
  }
}
