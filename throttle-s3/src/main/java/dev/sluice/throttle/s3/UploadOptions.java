package dev.sluice.throttle.s3;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What else to say about an upload. */
public final class UploadOptions {
  private Optional<String> contentType = Optional.empty();
  private final Map<String, String> metadata = new LinkedHashMap<>();
  private TransferProgress progress = TransferProgress.NONE;

  UploadOptions() {}

  /** What the object is: {@code video/mp4}. Default: what the server makes of it. */
  public UploadOptions contentType(String type) {
    contentType = Optional.of(type);
    return this;
  }

  /** Something to remember with the object. */
  public UploadOptions metadata(String name, String value) {
    metadata.put(name, value);
    return this;
  }

  /** Who hears how far it is; an upload advances by whole parts. */
  public UploadOptions progress(TransferProgress listener) {
    progress = listener;
    return this;
  }

  Optional<String> contentType() {
    return contentType;
  }

  /** The caller's metadata with the checksum of the whole. */
  Map<String, String> metadataWith(String crc32c) {
    Map<String, String> all = new LinkedHashMap<>(metadata);
    all.put(S3Transfer.CHECKSUM_METADATA, crc32c);
    return all;
  }

  TransferProgress progress() {
    return progress;
  }
}
