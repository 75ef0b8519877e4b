package dev.sluice.throttle.s3;

import java.time.Duration;
import java.util.Optional;

/**
 * What a transfer has transferred.
 *
 * @param bytes the length, which was compared
 * @param parts in how many pieces: requests that carried bytes, not counting what was tried again;
 *     0 for a download of nothing
 * @param took how long it took in all, waiting for the throttle and comparing included
 * @param etag the object's tag, as the server has it
 * @param checksum what was compared besides: {@code crc32c:…} or {@code md5:…}. Empty only after a
 *     download of an object that tells no checksum
 */
public record Transferred(
    long bytes, int parts, Duration took, String etag, Optional<String> checksum) {}
