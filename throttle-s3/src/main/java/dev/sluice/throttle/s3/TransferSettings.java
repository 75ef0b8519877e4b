package dev.sluice.throttle.s3;

import dev.sluice.throttle.CpuBudget;
import dev.sluice.throttle.CpuBudget.Load;
import dev.sluice.throttle.Environment;
import dev.sluice.throttle.Setting;

/**
 * How a file is cut, and how many of its parts are under way at once. The s3 throttle bounds the
 * requests of all transfers together; these bound each by itself.
 *
 * @param uploadPartMegabytes {@code S3_UPLOAD_PART_SIZE_MB}, default 32, 5 to 5120 as S3 wants it;
 *     larger for files that would have more than 10,000 parts
 * @param uploadQueueSize {@code S3_UPLOAD_QUEUE_SIZE}, default the io default, at most 16: to send
 *     more at once, upload several files at once
 * @param downloadPartMegabytes {@code S3_DOWNLOAD_PART_SIZE_MB}, default 32
 * @param downloadConcurrency {@code S3_DOWNLOAD_CONCURRENCY}, default likewise
 */
public record TransferSettings(
    Setting uploadPartMegabytes,
    Setting uploadQueueSize,
    Setting downloadPartMegabytes,
    Setting downloadConcurrency) {
  private static final int DEFAULT_PART_MEGABYTES = 32;
  private static final int LEAST_UPLOAD_PART_MEGABYTES = 5;
  private static final int MOST_PART_MEGABYTES = 5 * 1024;
  private static final int LARGEST_WINDOW = 16;
  private static final long MEGABYTE = 1L << 20;
  private static final long MOST_PARTS = 10_000;

  /**
   * Made of these.
   *
   * @throws IllegalArgumentException if one of them cannot be used
   */
  public TransferSettings {
    require(
        "uploadPartMegabytes",
        uploadPartMegabytes,
        LEAST_UPLOAD_PART_MEGABYTES,
        MOST_PART_MEGABYTES);
    require("uploadQueueSize", uploadQueueSize, 1, LARGEST_WINDOW);
    require("downloadPartMegabytes", downloadPartMegabytes, 1, MOST_PART_MEGABYTES);
    require("downloadConcurrency", downloadConcurrency, 1, Integer.MAX_VALUE);
  }

  private static void require(String name, Setting setting, int least, int most) {
    if (setting.value() < least || setting.value() > most) {
      throw new IllegalArgumentException(
          "%s cannot be %d (%s). Use a whole number from %d to %d."
              .formatted(name, setting.value(), setting.source(), least, most));
    }
  }

  /**
   * As these variables want it, for a process with these processors.
   *
   * @throws dev.sluice.throttle.InvalidSettingException if one of them has a value that cannot be
   *     used
   */
  public static TransferSettings from(Environment environment, CpuBudget cpu) {
    int io = cpu.computeDefault(Load.IO);
    Setting window =
        new Setting(
            Math.min(LARGEST_WINDOW, io),
            "computed: min(%d, io default %d)".formatted(LARGEST_WINDOW, io));
    Setting size = new Setting(DEFAULT_PART_MEGABYTES, "default");
    return new TransferSettings(
        setting(
            environment,
            "S3_UPLOAD_PART_SIZE_MB",
            LEAST_UPLOAD_PART_MEGABYTES,
            MOST_PART_MEGABYTES,
            size),
        setting(environment, "S3_UPLOAD_QUEUE_SIZE", 1, LARGEST_WINDOW, window),
        setting(environment, "S3_DOWNLOAD_PART_SIZE_MB", 1, MOST_PART_MEGABYTES, size),
        setting(environment, "S3_DOWNLOAD_CONCURRENCY", 1, Integer.MAX_VALUE, window));
  }

  private static Setting setting(
      Environment environment, String variable, int least, int most, Setting otherwise) {
    return environment.intBetween(variable, least, most).stream()
        .mapToObj(value -> new Setting(value, variable))
        .findFirst()
        .orElse(otherwise);
  }

  /** How large the parts are that a file of this length is uploaded in. */
  long uploadPartBytes(long length) {
    long least = (length + MOST_PARTS - 1) / MOST_PARTS;
    return Math.max(uploadPartMegabytes.value() * MEGABYTE, least);
  }

  long downloadPartBytes() {
    return downloadPartMegabytes.value() * MEGABYTE;
  }
}
