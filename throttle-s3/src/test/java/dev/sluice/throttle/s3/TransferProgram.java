package dev.sluice.throttle.s3;

import dev.sluice.throttle.Throttles;
import java.net.URI;
import java.nio.file.Path;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A program that uploads a file and downloads it again: ENDPOINT BUCKET KEY FILE COPY. */
final class TransferProgram {
  private TransferProgram() {}

  public static void main(String[] args) throws Exception {
    Throttles throttles = Throttles.fromEnvironment();
    try (S3Client client =
        S3Transfer.clientBuilder()
            .endpointOverride(URI.create(args[0]))
            .region(Region.US_EAST_1)
            .forcePathStyle(true)
            .build()) {
      S3Transfer transfer = S3Transfer.of(client, throttles);
      long start = System.nanoTime();
      System.out.println("up " + transfer.upload(Path.of(args[3]), args[1], args[2]));
      long middle = System.nanoTime();
      System.out.println("down " + transfer.download(args[1], args[2], Path.of(args[4])));
      long end = System.nanoTime();
      System.out.printf(
          "seconds %.1f up, %.1f down; heap of at most %d MiB%n",
          (middle - start) / 1e9, (end - middle) / 1e9, Runtime.getRuntime().maxMemory() >> 20);
      throttles
          .s3()
          .stats()
          .forEach(
              (label, stats) ->
                  System.out.printf(
                      "%s: %d good, %d failed, %d at once%n",
                      label, stats.successTotal(), stats.failureTotal(), stats.peakInFlight()));
    }
  }
}
