package dev.sluice;

/** A slot held outside any job; it renews itself until it is closed. Thread-safe. */
public interface Permit extends AutoCloseable {
  /** The group. */
  Group group();

  /** The slot's number. */
  int slot();

  /** The fencing token: give it to whatever must refuse a holder that lost its lease. */
  long fencingToken();

  /**
   * Whether the lease is sure to hold still, judged by this process's monotonic clock from the last
   * renewal that succeeded. Once false it stays false: stop what the permit guards.
   */
  boolean held();

  /** Gives the slot back; doing so twice is harmless, and it throws nothing. */
  @Override
  void close();
}
