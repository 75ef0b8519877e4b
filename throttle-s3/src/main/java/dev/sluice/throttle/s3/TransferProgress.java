package dev.sluice.throttle.s3;

/** Hears how far a transfer is; called from several threads, one at a time, and never backwards. */
@FunctionalInterface
public interface TransferProgress {
  /** Nobody listens. */
  TransferProgress NONE = (transferred, total) -> {};

  /** So many bytes of so many have arrived. */
  void advanced(long transferred, long total);
}
