package dev.sluice.object;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract, over HTTP against a server that fails on purpose. */
class S3StoreIT extends StoreContract {
  private static UnreliableBucket bucket;

  @BeforeAll
  static void start() {
    bucket = new UnreliableBucket();
  }

  @AfterAll
  static void stop() {
    bucket.close();
  }

  @Override
  protected StoreFixture openFixture() {
    return new ObjectStoreFixture(bucket.url(), () -> {});
  }
}
