package dev.sluice.object;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A bucket on a {@link FaultyS3Server} that fails now and then, by chance: it refuses requests,
 * loses them, loses answers, and carries puts out after their sender gave up.
 */
public final class UnreliableBucket implements AutoCloseable {
  private static final Duration LATE = Duration.ofMillis(100);

  private final FaultyS3Server server = new FaultyS3Server();
  private final ScheduledExecutorService late = Executors.newSingleThreadScheduledExecutor();

  /** An empty bucket; prints its seed. */
  public UnreliableBucket() {
    TestCredentials.use();
    // Probed before the faults begin: it would rightly refuse such a server.
    ObjectStores.open(S3ObjectStore.open(server.url("")), new RequestMeter()).close();
    long seed = Long.getLong("sluice.test.seed", System.nanoTime());
    System.out.println("sluice.test.seed=" + seed);
    Random random = new Random(seed);
    server.plan(method -> fault(method, random.nextInt(1_000)));
    late.scheduleWithFixedDelay(
        server::landLateRequests, LATE.toMillis(), LATE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Its URL. */
  public String url() {
    return "s3://%s?endpoint=%s".formatted(FaultyS3Server.BUCKET, server.endpoint());
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

  @Override
  public void close() {
    late.shutdownNow();
    server.close();
  }
}
