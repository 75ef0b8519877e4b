package dev.sluice.throttle.s3;

import static dev.sluice.throttle.Throttles.mapConcurrently;

import dev.sluice.throttle.Throttle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/**
 * An object on its way into a file, in ranges. Each range is written where it belongs as it comes;
 * one that breaks off is asked for from the byte where it broke, so what arrived is not sent again.
 * Every request is for the object that was looked at first ({@code If-Match}): ranges of two
 * versions are never mixed.
 */
final class RangedDownload {
  private static final int BUFFER = 1 << 16;

  private final S3Calls calls;
  private final String bucket;
  private final String key;
  private final String etag;
  private final FileChannel target;
  private final Meter meter;

  RangedDownload(
      S3Calls calls,
      String bucket,
      String key,
      HeadObjectResponse head,
      FileChannel target,
      TransferProgress progress) {
    this.calls = calls;
    this.bucket = bucket;
    this.key = key;
    this.etag = head.eTag();
    this.target = target;
    this.meter = new Meter(progress, head.contentLength());
  }

  void run(List<Slice> slices, int window) throws IOException, InterruptedException {
    if (slices.isEmpty()) {
      meter.add(0); // All of nothing has arrived.
    }
    mapConcurrently(
        slices,
        Throttle.of("download of " + key, window),
        "part",
        slice -> {
          Part part = new Part(slice);
          calls.call(S3Calls.DOWNLOAD, part::fetch);
          return slice;
        });
  }

  /** A range, and how much of it is there. */
  private final class Part {
    private final Slice slice;
    private long done;

    Part(Slice slice) {
      this.slice = slice;
    }

    private Void fetch() throws IOException {
      long from = slice.start() + done;
      long last = slice.start() + slice.length() - 1;
      if (from > last) {
        return null; // All was there, and then the connection broke.
      }
      ResponseInputStream<GetObjectResponse> body =
          calls
              .client()
              .getObject(
                  request ->
                      request
                          .bucket(bucket)
                          .key(key)
                          .range("bytes=%d-%d".formatted(from, last))
                          .ifMatch(etag));
      boolean whole = false;
      try {
        copy(body, last - from + 1);
        whole = true;
      } finally {
        if (whole) {
          body.close();
        } else {
          body.abort(); // To close it would read the rest first.
        }
      }
      return null;
    }

    private void copy(ResponseInputStream<GetObjectResponse> body, long length) throws IOException {
      if (body.response().contentLength() != length) {
        throw new IntegrityException(
            "s3://%s/%s was asked for %d bytes and offers %d. Does the server know ranges?"
                .formatted(bucket, key, length, body.response().contentLength()));
      }
      byte[] buffer = new byte[BUFFER];
      for (long left = length; left > 0; ) {
        int count = read(body, buffer, (int) Math.min(buffer.length, left));
        ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
        while (bytes.hasRemaining()) {
          target.write(bytes, slice.start() + done + bytes.position());
        }
        done += count;
        left -= count;
        meter.add(count);
      }
    }

    private int read(ResponseInputStream<GetObjectResponse> body, byte[] buffer, int most)
        throws IOException {
      int count;
      try {
        count = body.read(buffer, 0, most);
      } catch (IOException e) {
        throw new BrokenBodyException("s3://%s/%s broke off".formatted(bucket, key), e);
      }
      if (count < 0) {
        throw new BrokenBodyException("s3://%s/%s ended early".formatted(bucket, key), null);
      }
      return count;
    }
  }
}
