package dev.sluice.object;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The contract, kept by any bucket you name. */
@EnabledIfEnvironmentVariable(named = BucketObjectStoreIT.URL_VARIABLE, matches = "s3://.+")
class BucketStoreIT extends StoreContract {
  @Override
  protected StoreFixture openFixture() {
    return ObjectStoreFixture.removing(System.getenv(BucketObjectStoreIT.URL_VARIABLE));
  }
}
