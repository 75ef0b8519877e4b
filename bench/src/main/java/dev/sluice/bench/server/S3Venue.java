package dev.sluice.bench.server;

import dev.sluice.object.FaultyS3Server;
import dev.sluice.object.TestCredentials;
import java.time.Duration;
import java.util.Optional;

/** A store in a bucket of a server in this process, each of whose answers takes a while. */
public final class S3Venue implements Venue {
  private final FaultyS3Server server = new FaultyS3Server();

  private S3Venue() {
    TestCredentials.use();
  }

  /** A server that takes this much longer over every request. */
  public static S3Venue withLatency(Duration latency) {
    S3Venue venue = new S3Venue();
    venue.server.latency(latency);
    return venue;
  }

  /** Where the server listens. */
  public String endpoint() {
    return server.endpoint();
  }

  /** Its bucket. */
  public String bucket() {
    return FaultyS3Server.BUCKET;
  }

  /** Whether the store has an object below this prefix, now. Sends no request. */
  public boolean hasObjectBelow(String prefix) {
    return server.hasObjectBelow(prefix);
  }

  @Override
  public String url() {
    return "s3://%s?endpoint=%s".formatted(bucket(), endpoint());
  }

  /** Nothing to do: the bucket is a map in memory. */
  @Override
  public void settle() {}

  @Override
  public Optional<FunctionTimer> startTimer() {
    return Optional.empty();
  }

  @Override
  public void close() {
    server.close();
  }
}
