package dev.sluice.object;

import java.time.Instant;

/**
 * An object as it was read.
 *
 * @param body its bytes; not to be changed
 * @param tag names this state of the object, for {@link ObjectStore#putIfMatch}
 * @param modifiedAt when it was written, by the store's clock; often in whole seconds
 * @param readAt when it was read, by the same clock; often in whole seconds
 */
record StoredObject(byte[] body, String tag, Instant modifiedAt, Instant readAt) {}
