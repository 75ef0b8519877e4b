package dev.sluice.throttle.s3;

/** Adds up what has arrived, and tells it in order. */
final class Meter {
  private final TransferProgress progress;
  private final long total;
  private long transferred;

  Meter(TransferProgress progress, long total) {
    this.progress = progress;
    this.total = total;
  }

  synchronized void add(long bytes) {
    transferred += bytes;
    progress.advanced(transferred, total);
  }
}
