package dev.sluice.object;

import dev.sluice.tck.StoreFixture;
import dev.sluice.tck.chaos.ChaosContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Real processes, killed and frozen, on a bucket over HTTP whose server fails on purpose too. */
class S3ChaosIT extends ChaosContract {
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
