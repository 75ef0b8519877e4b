package dev.sluice.object;

import java.time.Instant;

/**
 * An object as a list shows it.
 *
 * @param key its key
 * @param tag its tag
 * @param size its length in bytes
 * @param modifiedAt when it was written, by the store's clock
 */
record ListedObject(String key, String tag, long size, Instant modifiedAt) {}
