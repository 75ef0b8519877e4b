package dev.sluice.throttle.s3;

import static dev.sluice.throttle.Throttles.mapConcurrently;

import dev.sluice.throttle.Throttle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchUploadException;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/**
 * A file on its way into a bucket, in parts.
 *
 * <ol>
 *   <li>The file is read once for its CRC-32C, which goes into the metadata of the object: those
 *       who download it compare. Each part's own is kept until it is sent.
 *   <li>So many parts at once as the window allows are hashed, streamed from the file, and hashed
 *       by the server, which refuses a part that differs ({@code Content-MD5}). With the MD5 the
 *       CRC-32C is taken again, so what the server compares is what the first step has read. A part
 *       that fails is sent again, alone; those that arrived stay.
 *   <li>The parts are joined. If the answer to that is lost, the repeated request finds no upload
 *       any more; whether the object is ours then, its length and checksum tell.
 *   <li>The object's length and checksum are compared, and whether the file is still the one that
 *       was read.
 * </ol>
 *
 * <p>Whatever goes wrong before the parts are joined, an interrupt included, the upload is aborted,
 * so that no parts are left to be paid for. Parts are streamed: memory does not depend on their
 * size, only on how many are under way.
 */
final class MultipartUpload {
  private static final Logger LOG = LoggerFactory.getLogger(MultipartUpload.class);

  private final S3Calls calls;
  private final Path file;
  private final String bucket;
  private final String key;
  private final UploadOptions options;
  private final String label;

  MultipartUpload(S3Calls calls, Path file, String bucket, String key, UploadOptions options) {
    this.calls = calls;
    this.file = file;
    this.bucket = bucket;
    this.key = key;
    this.options = options;
    this.label = options.label().orElse(S3Calls.UPLOAD);
  }

  /** Which file this is, so that one that changes is noticed. */
  record Stamp(long length, FileTime modified) {
    static Stamp of(Path file) throws IOException {
      return new Stamp(Files.size(file), Files.getLastModifiedTime(file));
    }

    void requireSame(Path file) throws IOException {
      if (!equals(of(file))) {
        throw IntegrityException.changed(file);
      }
    }
  }

  String run(List<Slice> slices, int window, Stamp stamp, Checksums.Crc crc)
      throws IOException, InterruptedException {
    String crc32c = crc.whole();
    String id = begin(crc32c);
    try {
      Meter meter = new Meter(options.progress(), stamp.length());
      List<CompletedPart> parts =
          mapConcurrently(
              slices,
              Throttle.of("upload of " + key, window),
              "part",
              slice -> {
                CompletedPart part = send(id, slice, crc);
                meter.add(slice.length());
                return part;
              });
      stamp.requireSame(file);
      join(id, parts, stamp.length(), crc32c);
    } catch (Exception | Error e) {
      abort(id, e);
      throw e;
    }
    return requireArrived(stamp.length(), crc32c).eTag();
  }

  private String begin(String crc32c) throws InterruptedException {
    return calls.call(
        label,
        () ->
            calls
                .client()
                .createMultipartUpload(
                    request ->
                        request
                            .bucket(bucket)
                            .key(key)
                            .contentType(options.contentType().orElse(null))
                            .metadata(options.metadataWith(crc32c)))
                .uploadId());
  }

  private CompletedPart send(String id, Slice slice, Checksums.Crc crc)
      throws IOException, InterruptedException {
    // Before a place in the throttle is taken: hashing is not what it bounds. (Over plain http the
    // SDK hashes once more, to sign the body.)
    String md5 = Checksums.contentMd5(file, slice, crc);
    UploadPartResponse response =
        calls.send(
            label,
            () -> {
              try (SliceBody body = new SliceBody(file, slice)) {
                return calls
                    .client()
                    .uploadPart(
                        request ->
                            request
                                .bucket(bucket)
                                .key(key)
                                .uploadId(id)
                                .partNumber(slice.number())
                                .contentMD5(md5),
                        body.asRequest());
              }
            });
    return CompletedPart.builder().partNumber(slice.number()).eTag(response.eTag()).build();
  }

  private void join(String id, List<CompletedPart> parts, long length, String crc32c)
      throws IOException, InterruptedException {
    try {
      calls.call(
          label,
          () ->
              calls
                  .client()
                  .completeMultipartUpload(
                      request ->
                          request
                              .bucket(bucket)
                              .key(key)
                              .uploadId(id)
                              .multipartUpload(all -> all.parts(parts))));
    } catch (NoSuchUploadException e) {
      LOG.debug("The upload of {} is gone; perhaps a first request has joined it.", key);
      requireArrived(length, crc32c);
    }
  }

  private HeadObjectResponse requireArrived(long length, String crc32c)
      throws IOException, InterruptedException {
    HeadObjectResponse head =
        calls.call(S3Calls.HEAD, () -> calls.client().headObject(r -> r.bucket(bucket).key(key)));
    String stored = head.metadata().get(S3Transfer.CHECKSUM_METADATA);
    if (head.contentLength() != length || !crc32c.equals(stored)) {
      throw new IntegrityException(
          "s3://%s/%s has %d bytes and checksum %s, the file %s has %d and %s. Did somebody else write it?"
              .formatted(bucket, key, head.contentLength(), stored, file, length, crc32c));
    }
    return head;
  }

  /**
   * Leaves no parts behind. If that fails too, the first failure says so. It is one small request
   * past the throttle: an upload that ends, because of an interrupt perhaps, waits in no line.
   */
  private void abort(String id, Throwable reason) {
    boolean interrupted = Thread.interrupted(); // The SDK would send nothing.
    try {
      calls
          .retry()
          .run(
              label,
              () ->
                  calls.client().abortMultipartUpload(r -> r.bucket(bucket).key(key).uploadId(id)));
    } catch (NoSuchUploadException joined) {
      LOG.debug("Nothing to abort for {}.", key);
    } catch (InterruptedException | RuntimeException e) {
      interrupted |= e instanceof InterruptedException || e instanceof AbortedException;
      LOG.warn(
          "The upload {} of s3://{}/{} could not be aborted; its parts are kept until the bucket's rules remove them.",
          id,
          bucket,
          key);
      reason.addSuppressed(e);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
