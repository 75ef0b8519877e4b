package dev.sluice.throttle.s3;

import java.util.Locale;

/**
 * One file that was moved, as a step of what a program does: for its log, its figures, or a job's
 * progress.
 *
 * @param name {@code s3_download} or {@code s3_upload}
 * @param object where it is in the bucket: {@code s3://bucket/key}
 * @param transferred bytes, parts and seconds
 */
public record TransferStep(String name, String object, Transferred transferred) {
  static final String DOWNLOAD = "s3_download";
  static final String UPLOAD = "s3_upload";

  /** How long it took, in seconds. */
  public double seconds() {
    return transferred.took().toNanos() / 1e9;
  }

  /** The figures in a line. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s %s bytes=%d parts=%d seconds=%.3f",
        name,
        object,
        transferred.bytes(),
        transferred.parts(),
        seconds());
  }
}
