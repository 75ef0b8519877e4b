package dev.sluice.spi;

/** What a store can do beyond the contract that every store keeps. */
public enum Capability {
  /** Jobs can be submitted on the caller's JDBC connection, inside the caller's transaction. */
  TRANSACTIONAL_SUBMIT,
  /** An idle worker is woken when there is work for it; without this it polls. */
  PUSH_WAKE_UP
}
