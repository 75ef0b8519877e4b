package dev.sluice.object;

import dev.sluice.tck.StoreFixture;
import dev.sluice.tck.chaos.ChaosContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Real processes, killed and frozen, on a bucket over HTTP. */
class S3ChaosIT extends ChaosContract {
  private static FaultyS3Server server;

  @BeforeAll
  static void start() {
    TestCredentials.use();
    server = new FaultyS3Server();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected StoreFixture openFixture() {
    return new ObjectStoreFixture(
        "s3://%s?endpoint=%s".formatted(FaultyS3Server.BUCKET, server.endpoint()), () -> {});
  }
}
