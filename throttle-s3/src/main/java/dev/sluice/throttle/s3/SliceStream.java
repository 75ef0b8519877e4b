package dev.sluice.throttle.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads a part of a file, with a file handle of its own; all of it, or it throws {@link
 * IntegrityException}.
 */
final class SliceStream extends InputStream {
  private final Path file;
  private final FileChannel channel;
  private long position;
  private final long end;

  SliceStream(Path file, Slice slice) throws IOException {
    this.file = file;
    channel = FileChannel.open(file, StandardOpenOption.READ);
    position = slice.start();
    end = slice.start() + slice.length();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    int wanted = (int) Math.min(length, end - position);
    if (wanted == 0) {
      return -1;
    }
    int count = channel.read(ByteBuffer.wrap(target, offset, wanted), position);
    if (count < 0) {
      throw IntegrityException.changed(file); // It was longer when it was cut.
    }
    position += count;
    return count;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
