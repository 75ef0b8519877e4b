package dev.sluice.example.media;

import dev.sluice.example.media.Video.Uploaded;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Throttles;
import dev.sluice.throttle.s3.S3Transfer;
import dev.sluice.throttle.s3.Transferred;
import java.io.IOException;
import java.nio.file.Path;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;

/**
 * Where the finished files go. The transfer brings what a bucket needs: a place in the s3 throttle
 * for every request, another try where it may help, and a checksum.
 */
final class Bucket implements AutoCloseable {
  private final S3Client client;
  private final S3Transfer transfer;
  private final String name;

  private Bucket(S3Client client, S3Transfer transfer, String name) {
    this.client = client;
    this.transfer = transfer;
    this.name = name;
  }

  /**
   * A bucket.
   *
   * @param around has a client from {@link S3Transfer#clientBuilder}
   * @param timeline where requests are noted
   */
  static Bucket open(
      Studio.Surroundings around, Throttles throttles, Environment environment, Timeline timeline) {
    S3ClientBuilder client = around.client().get();
    S3Client timed =
        client
            .overrideConfiguration(
                client.overrideConfiguration().toBuilder()
                    .addExecutionInterceptor(new RequestTimer(timeline))
                    .build())
            .build();
    return new Bucket(timed, S3Transfer.of(timed, throttles, environment), around.bucket());
  }

  /** Makes the bucket, if it is not there. */
  void create() {
    try {
      client.headBucket(request -> request.bucket(name));
    } catch (NoSuchBucketException e) {
      client.createBucket(request -> request.bucket(name));
    }
  }

  /** Uploads a file. To do so again puts the same bytes in the same place. */
  Uploaded upload(Path file, String key) throws IOException, InterruptedException {
    Transferred sent =
        transfer.upload(
            file,
            name,
            key,
            options -> options.label(Label.UPLOAD.toString()).contentType(type(key)));
    return new Uploaded(key, sent.bytes(), sent.checksum().orElseThrow());
  }

  private static String type(String key) {
    return key.endsWith(".m3u8") ? "application/vnd.apple.mpegurl" : "video/mp2t";
  }

  @Override
  public void close() {
    client.close();
  }
}
