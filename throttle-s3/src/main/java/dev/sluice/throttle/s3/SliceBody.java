package dev.sluice.throttle.s3;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;

/**
 * A part of a file as the body of one request. The SDK may ask for it more than once, to sign it
 * and to send it, and does not close what it has signed: so the stream before is closed when
 * another is asked for, and the last one with the body.
 */
final class SliceBody implements ContentStreamProvider, AutoCloseable {
  private static final String OCTETS = "application/octet-stream";

  private final Path file;
  private final Slice slice;
  private SliceStream open;

  SliceBody(Path file, Slice slice) {
    this.file = file;
    this.slice = slice;
  }

  RequestBody asRequest() {
    return RequestBody.fromContentProvider(this, slice.length(), OCTETS);
  }

  @Override
  public synchronized InputStream newStream() {
    try {
      close();
      open = new SliceStream(file, slice);
      return open;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (open != null) {
      open.close();
    }
  }
}
