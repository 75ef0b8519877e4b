package dev.sluice.throttle.s3;

import java.util.Optional;

/**
 * What a transfer has transferred.
 *
 * @param bytes the length, which was compared
 * @param etag the object's tag, as the server has it
 * @param checksum what was compared besides: {@code crc32c:…} or {@code md5:…}. Empty only after a
 *     download of an object that tells no checksum
 */
public record Transferred(long bytes, String etag, Optional<String> checksum) {}
