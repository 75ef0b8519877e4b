package dev.sluice.throttle.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads a part of a file, with a file handle of its own. */
final class SliceStream extends InputStream {
  private final FileChannel channel;
  private long position;
  private final long end;

  SliceStream(Path file, Slice slice) throws IOException {
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
    int count = wanted == 0 ? -1 : channel.read(ByteBuffer.wrap(target, offset, wanted), position);
    if (count > 0) {
      position += count;
    }
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
