package dev.sluice.workflow;

import dev.sluice.object.UnreliableBucket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Over HTTP, against a server that fails on purpose. */
class S3WorkflowIT extends WorkflowContract {
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
  String url() {
    return bucket.url();
  }
}
