package dev.sluice.throttle.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.object.CephServer;
import dev.sluice.throttle.Throttles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** The Java about transfers in {@code docs/throttles.md}, between markers. */
class TransferSnippetsIT {
  @RegisterExtension private static final CephServer CEPH = new CephServer();

  @TempDir private Path directory;

  @Test
  void transfer() throws Exception {
    Throttles throttles = Throttles.fromEnvironment();
    String bucket = CephServer.BUCKET;
    Path video = directory.resolve("cat.mp4");
    Path copy = directory.resolve("copy.mp4");
    byte[] bytes = new byte[40 << 20];
    new Random(1).nextBytes(bytes);
    Files.write(video, bytes);
    // snippet: transfer-client
    S3Client client = S3Transfer.clientBuilder().region(Region.US_EAST_1).build();
    S3Transfer transfer = S3Transfer.of(client, throttles);
    // end snippet
    assertThat(transfer.settings().uploadPartMegabytes().value()).isPositive();
    client.close();
    client =
        S3Transfer.clientBuilder()
            .region(Region.US_EAST_1)
            .endpointOverride(CEPH.endpoint())
            .credentialsProvider(CEPH.credentials())
            .forcePathStyle(true)
            .build();
    transfer = S3Transfer.of(client, throttles);
    // snippet: transfer
    transfer.upload(
        video,
        bucket,
        "films/cat.mp4",
        o -> o.contentType("video/mp4").progress((done, all) -> show(done, all)));
    transfer.download(bucket, "films/cat.mp4", copy); // there when all of it is, and compared
    // end snippet
    client.close();
    assertThat(copy).hasSameBinaryContentAs(video);
    assertThat(shown).isEqualTo(bytes.length);
  }

  private long shown;

  private void show(long done, long all) {
    assertThat(done).isLessThanOrEqualTo(all);
    shown = done;
  }
}
