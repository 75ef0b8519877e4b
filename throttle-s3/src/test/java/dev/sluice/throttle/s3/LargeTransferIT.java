package dev.sluice.throttle.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.object.CephServer;
import dev.sluice.object.TestCredentials;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gigabyte up and down, by a process with a small heap, through a proxy that is slow and breaks
 * every seventh part in some way. How many parts are under way is counted by the proxy.
 */
class LargeTransferIT {
  private static final int GIGABYTE = 1 << 30;
  private static final int HEAP_MEGABYTES = 200;
  private static final int LIMIT = 4;
  private static final List<ProxyFault> FAULTS =
      List.of(
          ProxyFault.BREAK_REQUEST,
          ProxyFault.ERROR,
          ProxyFault.LOSE_REPLY,
          ProxyFault.BREAK_REPLY,
          ProxyFault.SLOW_DOWN);

  @RegisterExtension private static final CephServer CEPH = new CephServer();

  @TempDir private Path directory;

  @Test
  @Timeout(300)
  void gigabyte_throughASlowAndFailingProxy_arrivesWholeWithinItsBounds() throws Exception {
    Path file = directory.resolve("file");
    Path copy = directory.resolve("copy");
    write(file);
    try (FailingProxy proxy = new FailingProxy(CEPH.endpoint())) {
      AtomicInteger parts = new AtomicInteger();
      proxy.slow(Duration.ofMillis(20), 100L << 20);
      proxy.plan(
          request -> {
            int number = request.isPart() ? parts.incrementAndGet() : 0;
            return number % 7 == 3 ? FAULTS.get(number / 7 % FAULTS.size()) : ProxyFault.NONE;
          });
      String said = transfer(proxy, file, copy);
      System.out.println(
          said + "proxy: " + proxy.faults() + " faults, " + proxy.mostParts() + " parts at once");
      assertThat(copy).isRegularFile();
      assertThat(Files.mismatch(file, copy)).as("first byte that differs").isEqualTo(-1);
      assertThat(proxy.mostParts()).isBetween(2, LIMIT);
      assertThat(proxy.faults()).isGreaterThan(8);
      assertThat(proxy.requests().stream().filter(ProxiedRequest::isUploadPart).count())
          .as("parts sent: 32, and those that failed again")
          .isGreaterThan(32);
    }
  }

  private static String transfer(FailingProxy proxy, Path file, Path copy) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + HEAP_MEGABYTES + "m",
            "-XX:MaxDirectMemorySize=32m",
            "-cp",
            System.getProperty("java.class.path"),
            TransferProgram.class.getName(),
            proxy.endpoint().toString(),
            CephServer.BUCKET,
            "transfers/gigabyte",
            file.toString(),
            copy.toString());
    builder.environment().putAll(TestCredentials.environment());
    builder.environment().put("S3_UPLOAD_CONCURRENCY", Integer.toString(LIMIT));
    builder.environment().put("S3_UPLOAD_QUEUE_SIZE", Integer.toString(2 * LIMIT));
    builder.environment().put("S3_DOWNLOAD_CONCURRENCY", Integer.toString(2 * LIMIT));
    builder.environment().put("RETRY_ATTEMPTS", "6");
    builder.environment().put("RETRY_BASE_DELAY_MS", "50");
    Process child = builder.redirectErrorStream(true).start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).as(said).isZero();
    return said;
  }

  /** Random bytes, so that a part in the wrong place is noticed. */
  private static void write(Path file) throws IOException {
    Random random = new Random(17);
    byte[] chunk = new byte[1 << 20];
    try (OutputStream stream = Files.newOutputStream(file)) {
      for (long written = 0; written < GIGABYTE; written += chunk.length) {
        random.nextBytes(chunk);
        stream.write(chunk);
      }
    }
  }
}
