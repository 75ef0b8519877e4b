package dev.sluice.postgres;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The contract, kept by an old PostgreSQL; and by hot groups: {@link PostgresStoreIT} has the cold
 * ones.
 */
class OldPostgresStoreIT extends StoreContract {
  @RegisterExtension static final TestServer SERVER = TestServer.OLD;

  @Override
  protected StoreFixture openFixture() {
    return PostgresFixture.hot(SERVER);
  }
}
