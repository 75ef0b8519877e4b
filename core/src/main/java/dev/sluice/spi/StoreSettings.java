package dev.sluice.spi;

/**
 * What a store is told when it is opened.
 *
 * @param namespace the name under which everything is kept (a schema, a prefix), so that several
 *     may live side by side
 * @param connections how many connections the store may use at once
 */
public record StoreSettings(String namespace, int connections) {}
