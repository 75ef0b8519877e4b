package dev.sluice.object;

import dev.sluice.tck.StoreContract;
import dev.sluice.tck.StoreFixture;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract, over HTTP against a server that fails on purpose: it refuses requests, loses them,
 * loses answers, and carries puts out after their sender gave up.
 */
class S3StoreIT extends StoreContract {
  private static final Duration LATE = Duration.ofMillis(100);
  private static FaultyS3Server server;
  private static ScheduledExecutorService late;

  @BeforeAll
  static void start() {
    TestCredentials.use();
    server = new FaultyS3Server();
    // Probed before the faults begin: it would rightly refuse such a server.
    ObjectStores.open(S3ObjectStore.open(server.url("")), new RequestMeter()).close();
    long seed = Long.getLong("sluice.test.seed", System.nanoTime());
    System.out.println("sluice.test.seed=" + seed);
    Random random = new Random(seed);
    server.plan(method -> fault(method, random.nextInt(1_000)));
    late = Executors.newSingleThreadScheduledExecutor();
    late.scheduleWithFixedDelay(
        server::landLateRequests, LATE.toMillis(), LATE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static S3Fault fault(String method, int chance) {
    boolean put = method.equals("PUT");
    if (chance < 5) {
      return S3Fault.SLOW_DOWN;
    } else if (chance < 10) {
      return S3Fault.LOSE_REQUEST;
    } else if (chance < 15) {
      return S3Fault.LOSE_REPLY;
    } else if (chance < 20) {
      return S3Fault.ERROR_AFTERWARDS;
    } else if (chance < 25 && put) {
      return S3Fault.CONFLICT;
    } else if (chance < 30 && put) {
      return S3Fault.LATE;
    }
    return S3Fault.NONE;
  }

  @AfterAll
  static void stop() {
    late.shutdownNow();
    server.close();
  }

  @Override
  protected StoreFixture openFixture() {
    return new ObjectStoreFixture(
        "s3://%s?endpoint=%s".formatted(FaultyS3Server.BUCKET, server.endpoint()), () -> {});
  }
}
