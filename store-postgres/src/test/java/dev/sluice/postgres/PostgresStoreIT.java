package dev.sluice.postgres;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract, kept by PostgreSQL. */
@ExtendWith(TestServer.class)
class PostgresStoreIT extends StoreContract {
  @Override
  protected StoreFixture openFixture() {
    return new PostgresFixture();
  }
}
