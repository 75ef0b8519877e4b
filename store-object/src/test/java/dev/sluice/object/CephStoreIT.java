package dev.sluice.object;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract, kept by a real Ceph. */
class CephStoreIT extends StoreContract {
  @RegisterExtension static final CephServer SERVER = new CephServer();

  @BeforeAll
  static void useKeys() {
    TestCredentials.use();
  }

  @Override
  protected StoreFixture openFixture() {
    ObjectStoreUrl.Bucket bucket = SERVER.url("jobs");
    return new ObjectStoreFixture(
        "s3://%s/%s?endpoint=%s".formatted(bucket.bucket(), bucket.prefix(), bucket.endpoint()),
        () -> {});
  }
}
