package dev.sluice.spi;

/**
 * What a store is told when it is opened.
 *
 * @param namespace the name under which everything is kept (a schema, a prefix), so that several
 *     may live side by side
 * @param connections how many connections the store may use at once
 * @param create whether a server that is part of the store, or its directory, is created where
 *     there is none
 */
public record StoreSettings(String namespace, int connections, boolean create) {
  /** Of a store that is created where there is none. */
  public StoreSettings(String namespace, int connections) {
    this(namespace, connections, true);
  }
}
